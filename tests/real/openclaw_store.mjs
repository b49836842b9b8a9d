// Runs functions of an installed OpenClaw on workspaces, by name: `node openclaw_store.mjs DIST < jobs.json`.
// A job is {name, options}; a name that no module of that release exports is an error. Prints the results as one list.
import { readdirSync } from "node:fs";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";

const [dist, ...prefixes] = process.argv.slice(2);
const known = {};
for (const prefix of prefixes) {
  for (const file of readdirSync(dist).filter((one) => one.startsWith(prefix) && one.endsWith(".js"))) {
    const module = await import(pathToFileURL(`${dist}/${file}`).href);
    for (const one of Object.values(module)) if (typeof one === "function") known[one.name] = one;
  }
}
const results = [];
for (const { name, options } of JSON.parse(await text(process.stdin))) {
  if (!known[name]) throw new Error(`this OpenClaw has no ${name}`);
  results.push((await known[name](...options)) ?? null);
}
process.stdout.write(JSON.stringify(results));
