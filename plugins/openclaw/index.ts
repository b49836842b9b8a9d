// Passes what happens in OpenClaw on to mneme, and puts what mneme answers before the prompt.
// It decides nothing, and keeps only in which folder each session works; whatever goes wrong, the turn goes on without it.

import { spawn } from "node:child_process";
import { definePluginEntry } from "openclaw/plugin-sdk/plugin-entry";

const DEFAULT_COMMAND = ["mneme", "hook", "--host", "openclaw"];
const ANSWER_MS = 5000;
const LONGEST_RESULT_CHARS = 4000;

type Context = Record<string, unknown>;

/** Runs the command with an event on its standard input, and returns what it prints; nothing if it fails or is late. */
function ask(command: string[], name: string, payload: Context): Promise<string> {
  return new Promise((resolve) => {
    const [program, ...words] = [...command, name];
    const child = spawn(program, words, { stdio: ["pipe", "pipe", "ignore"], timeout: ANSWER_MS });
    let printed = "";
    child.on("error", () => resolve(""));
    child.stdout.setEncoding("utf8");
    child.stdout.on("data", (part: string) => (printed += part));
    child.on("close", (code) => resolve(code === 0 ? printed : ""));
    child.stdin.on("error", () => undefined);
    child.stdin.end(JSON.stringify(payload));
  });
}

const folders = new Map<unknown, unknown>();

/** Returns what every event tells: whose session it is, and where; events about a tool do not say where themselves. */
function about(ctx: Context): Context {
  const session = ctx.sessionKey ?? ctx.sessionId;
  if (ctx.workspaceDir) folders.set(session, ctx.workspaceDir);
  return { session_id: session, session_key: ctx.sessionKey, turn_id: ctx.runId, cwd: folders.get(session) };
}

/** Returns the text of the last message that the model wrote. */
function lastSaid(messages: unknown): string {
  const said = (Array.isArray(messages) ? messages : []).filter((one) => one?.role === "assistant").at(-1)?.content;
  if (typeof said === "string") return said;
  return (Array.isArray(said) ? said : []).map((part) => part?.text ?? "").join("\n");
}

export default definePluginEntry({
  id: "mneme",
  name: "Mneme",
  description: "Memory as plain text, told to the model before each prompt",
  register(api: any) {
    const command: string[] = api.pluginConfig?.command ?? DEFAULT_COMMAND;
    const tell = (name: string, payload: Context) => void ask(command, name, payload);

    api.on("before_prompt_build", async (event: any, ctx: any) => {
      const prompt = event.currentUserMessage ?? event.prompt;
      const printed = await ask(command, "UserPromptSubmit", { ...about(ctx), prompt, trigger: ctx.trigger });
      const context = printed ? JSON.parse(printed).prependContext : undefined;
      return context ? { prependContext: context } : undefined;
    });
    api.on("after_tool_call", (event: any, ctx: any) => {
      const name = event.error ? "PostToolUseFailure" : "PostToolUse";
      const tool = { tool_name: event.toolName, tool_use_id: event.toolCallId, tool_input: event.params, error: event.error };
      const result = JSON.stringify(event.result ?? "").slice(0, LONGEST_RESULT_CHARS);
      tell(name, { ...about(ctx), ...tool, tool_response: result, exit_code: event.result?.details?.exitCode });
    });
    api.on("agent_end", (event: any, ctx: any) =>
      tell("Stop", { ...about(ctx), last_assistant_message: lastSaid(event.messages) }),
    );
    api.on("before_compaction", (_event: any, ctx: any) => tell("PreCompact", about(ctx)));
    api.on("session_start", (event: any, ctx: any) =>
      tell("SessionStart", { ...about(ctx), source: event.resumedFrom ? "resume" : "startup" }),
    );
    api.on("session_end", (event: any, ctx: any) => {
      tell("SessionEnd", { ...about(ctx), reason: event.reason });
      folders.delete(ctx.sessionKey ?? ctx.sessionId);
    });
  },
});
