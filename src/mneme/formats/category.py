"""The kinds of capability: a table of names, each with what it is for in English and in Portuguese.

A prompt is compared with these descriptions first, so that a large collection is searched in its likely parts. The
names are fixed, because cards refer to them; settings may add more, each with a description of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

FALLBACK = "agent_orchestration"


@dataclass(frozen=True, slots=True)
class Category:
    """One kind of capability. `signals` are words that alone give it away, however short they are."""

    name: str
    english: str
    portuguese: str = ""
    signals: tuple[str, ...] = ()

    @property
    def description(self) -> str:
        """Return both descriptions."""
        return f"{self.english} {self.portuguese}".strip()


def _row(name: str, english: str, portuguese: str, signals: str) -> Category:
    return Category(name, english, portuguese, tuple(signals.split()))


CATEGORIES: tuple[Category, ...] = (
    _row(
        "agent_orchestration",
        "Coordinate agents: delegate a task to a subagent, plan steps, run several in parallel, collect their results.",
        "Coordenar agentes: delegar uma tarefa a um subagente, planejar etapas, executar em paralelo, reunir resultados.",
        "agent agents subagent delegate orchestrate agente agentes",
    ),
    _row(
        "audio_media",
        "Convert, cut, mix and compress music and video files: codecs, formats, playlists, subtitles.",
        "Converter, cortar, juntar e comprimir arquivos de música e vídeo: codecs, formatos, listas, legendas.",
        "ffmpeg sox audio video music mp3 mp4 wav podcast legenda youtube imagemagick",
    ),
    _row(
        "automation_rpa",
        "Automate repeated work: schedules, triggers, macros, workflows that fill forms and move data between programs.",
        "Automatizar trabalho repetido: agendamentos, gatilhos, macros, fluxos que preenchem formulários entre programas.",
        "cron crontab macro zapier n8n schedule scheduled agendar automatizar",
    ),
    _row(
        "cloud_infra",
        "Provision servers, buckets, networks and permissions at a cloud provider; infrastructure as code.",
        "Criar servidores, armazenamento, redes e permissões em um provedor de nuvem; infraestrutura como código.",
        "aws gcp azure terraform pulumi s3 ec2 lambda iam gcloud bucket nuvem cloudflare hetzner ansible",
    ),
    _row(
        "code_search",
        "Find where something is in source code: symbols, definitions, references, text patterns across repositories.",
        "Encontrar onde algo está no código-fonte: símbolos, definições, referências, padrões de texto em repositórios.",
        "grep ripgrep rg ctags symbol symbols codebase lsp definition semgrep",
    ),
    _row(
        "comms",
        "Send and read messages: e-mail, chat, channels, text messages, notifications, calendar invitations.",
        "Enviar e ler mensagens: e-mail, chat, canais, SMS, notificações, convites de calendário.",
        "telegram slack discord email e-mail gmail whatsapp sms mensagem chat calendar calendario smtp imap teams",
    ),
    _row(
        "container",
        "Build and run containers: images, volumes, logs, several services on one machine.",
        "Construir e executar contêineres: imagens, volumes, logs, vários serviços em uma máquina.",
        "docker podman container containers compose dockerfile buildah conteiner",
    ),
    _row(
        "crypto",
        "Blockchains, wallets, tokens and smart contracts: balances, transactions, gas.",
        "Blockchains, carteiras, tokens e contratos inteligentes: saldos, transações, taxas.",
        "blockchain bitcoin ethereum wallet nft solana web3 erc20 carteira",
    ),
    _row(
        "data_pipeline",
        "Move and reshape data: extract, clean, join, load, stream; tables in CSV, JSON and Parquet.",
        "Mover e transformar dados: extrair, limpar, juntar, carregar; tabelas em CSV, JSON e Parquet.",
        "etl csv parquet airflow kafka pandas dbt spark jq spreadsheet excel xlsx planilha duckdb",
    ),
    _row(
        "db",
        "Query and change databases: tables, schemas, migrations, indexes, backups.",
        "Consultar e alterar bancos de dados: tabelas, esquemas, migrações, índices, cópias de segurança.",
        "sql database postgres postgresql mysql sqlite redis mongodb mongo banco psql query tabela",
    ),
    _row(
        "deploy",
        "Release software: build, publish a package, roll out a version to production and roll it back.",
        "Publicar software: compilar, lançar um pacote, colocar uma versão em produção e desfazê-la.",
        "deploy deployment release vercel netlify heroku publish pypi npm ci cd rollout publicar implantar",
    ),
    _row(
        "desktop_automation",
        "Control this computer's desktop: windows, mouse, keyboard, clipboard, screenshots of the screen.",
        "Controlar a área de trabalho: janelas, mouse, teclado, área de transferência, captura da tela.",
        "desktop mouse keyboard clipboard pyautogui xdotool window screen tela teclado janela applescript",
    ),
    _row(
        "documentation",
        "Write and read documents: manuals, API references, Markdown, PDF, slides, diagrams.",
        "Escrever e ler documentos: manuais, referências de API, Markdown, PDF, apresentações, diagramas.",
        "docs documentation pdf markdown pandoc latex docx pptx slides diagram documento readme",
    ),
    _row(
        "embedded_iot",
        "Program devices: microcontrollers, firmware, sensors, home automation.",
        "Programar dispositivos: microcontroladores, firmware, sensores, automação residencial.",
        "arduino esp32 firmware mqtt iot sensor raspberry zigbee homeassistant platformio",
    ),
    _row(
        "filesystem",
        "Work with files and folders: read, write, move, copy, rename, compress, find by name.",
        "Trabalhar com arquivos e pastas: ler, escrever, mover, copiar, renomear, compactar, procurar pelo nome.",
        "file files folder directory filesystem zip tar rsync arquivo arquivos pasta diretorio",
    ),
    _row(
        "finance_trading",
        "Money and markets: prices of shares, portfolios, orders, invoices, payments, budgets.",
        "Dinheiro e mercados: cotações de ações, carteiras, ordens, faturas, pagamentos, orçamentos.",
        "stock stocks trading stripe invoice payment portfolio finance fatura pagamento bolsa cotacao pix",
    ),
    _row(
        "game_engine",
        "Make games: scenes, sprites, physics, levels in a game engine.",
        "Criar jogos: cenas, sprites, física, fases em um motor de jogos.",
        "unity godot unreal game sprite jogo gameplay",
    ),
    _row(
        "geo_maps",
        "Places and maps: addresses to coordinates, routes, distances, layers, weather at a place.",
        "Lugares e mapas: endereços em coordenadas, rotas, distâncias, camadas, tempo em um lugar.",
        "map maps geocode gps route latitude weather mapa mapas rota endereco clima gis openstreetmap",
    ),
    _row(
        "graphics_3d",
        "Three-dimensional models: meshes, materials, rendering, CAD, printing.",
        "Modelos tridimensionais: malhas, materiais, renderização, CAD, impressão 3D.",
        "blender 3d mesh render cad openscad gltf stl webgl malha",
    ),
    _row(
        "hardware_io",
        "Talk to hardware: serial ports, USB, Bluetooth, printers, scanners, cameras, pins.",
        "Falar com o hardware: portas seriais, USB, Bluetooth, impressoras, scanners, câmeras, pinos.",
        "usb serial bluetooth printer gpio scanner camera impressora uart",
    ),
    _row(
        "kubernetes",
        "Operate clusters: pods, deployments, services, charts, rollouts, scaling.",
        "Operar clusters: pods, deployments, serviços, charts, atualizações, escala.",
        "kubernetes k8s kubectl helm pod pods cluster k3s argocd",
    ),
    _row(
        "math_scientific",
        "Compute: equations, statistics, units, simulations, symbolic algebra, plots of results.",
        "Calcular: equações, estatística, unidades, simulações, álgebra simbólica, gráficos de resultados.",
        "math equation statistics matrix integral numpy scipy wolfram calculate calcular matematica equacao",
    ),
    _row(
        "ml_inference",
        "Run models: ask a local or remote language model, embed text, classify, generate images.",
        "Executar modelos: perguntar a um modelo de linguagem, gerar embeddings, classificar, gerar imagens.",
        "llm ollama inference openai embedding embeddings gpt vllm huggingface llama modelo prompt replicate",
    ),
    _row(
        "ml_training",
        "Train models: datasets, fine-tuning, experiments, metrics, checkpoints.",
        "Treinar modelos: conjuntos de dados, ajuste fino, experimentos, métricas, checkpoints.",
        "training finetune fine-tuning pytorch tensorflow dataset wandb mlflow treinar treinamento lora",
    ),
    _row(
        "mobile_dev",
        "Build and test phone apps: emulators, devices, app stores.",
        "Criar e testar aplicativos de celular: emuladores, aparelhos, lojas de aplicativos.",
        "android ios adb xcode flutter emulator gradle celular aplicativo simctl expo",
    ),
    _row(
        "monitoring",
        "Watch systems: logs, metrics, traces, dashboards, alerts, uptime, errors in production.",
        "Observar sistemas: logs, métricas, rastros, painéis, alertas, disponibilidade, erros em produção.",
        "logs metrics grafana prometheus sentry datadog alert dashboard uptime monitor alerta metricas",
    ),
    _row(
        "nlp",
        "Process language: translate, summarise, extract names, correct spelling, judge sentiment.",
        "Processar linguagem: traduzir, resumir, extrair nomes, corrigir ortografia, avaliar sentimento.",
        "translate translation summarize sentiment spelling traduzir traducao resumir ortografia spacy",
    ),
    _row(
        "security",
        "Protect and test: vulnerabilities, secrets, passwords, certificates, encryption, permissions.",
        "Proteger e testar: vulnerabilidades, segredos, senhas, certificados, criptografia, permissões.",
        "security vulnerability cve ssl tls gpg openssl nmap password senha seguranca trivy vault certificate",
    ),
    _row(
        "testing",
        "Check that software works: unit tests, end-to-end tests, coverage, fixtures, linting.",
        "Verificar se o software funciona: testes unitários, de ponta a ponta, cobertura, lint.",
        "test tests pytest jest coverage lint testes cypress vitest teste mock",
    ),
    _row(
        "vault_kb",
        "Notes and knowledge: search a vault of notes, wikis, bookmarks, link ideas, remember.",
        "Notas e conhecimento: buscar em um cofre de notas, wikis, favoritos, ligar ideias, lembrar.",
        "obsidian notion vault wiki note notes notas evernote confluence bookmark logseq zettelkasten",
    ),
    _row(
        "vcs",
        "Version control: commits, branches, merges, pull requests, issues, history of a repository.",
        "Controle de versão: commits, ramos, merges, pull requests, issues, histórico de um repositório.",
        "git github gitlab gh commit branch pr repo repository bitbucket svn issue issues",
    ),
    _row(
        "vision_image",
        "Look at and change images: recognise text and objects, resize, crop, compare, annotate.",
        "Ver e alterar imagens: reconhecer texto e objetos, redimensionar, recortar, comparar, anotar.",
        "image images ocr photo png jpg imagem imagens foto opencv tesseract resize svg",
    ),
    _row(
        "voice_audio",
        "Speech: turn talk into text, read text aloud, record, recognise who speaks.",
        "Fala: transformar fala em texto, ler texto em voz alta, gravar, reconhecer quem fala.",
        "speech voice tts whisper transcribe voz fala transcrever dictation stt",
    ),
    _row(
        "web_api",
        "Call services over HTTP: REST, GraphQL, webhooks, requests with headers and tokens.",
        "Chamar serviços por HTTP: REST, GraphQL, webhooks, requisições com cabeçalhos e tokens.",
        "api http rest graphql webhook curl endpoint request requisicao openapi postman",
    ),
    _row(
        "web_browser",
        "Drive a web browser: open a page, click, fill in, take a screenshot, scrape, search the web.",
        "Controlar um navegador: abrir uma página, clicar, preencher, capturar a tela, extrair, pesquisar na web.",
        "browser playwright puppeteer selenium chrome webpage scrape navegador pagina site crawl search",
    ),
)
NAMES = frozenset(category.name for category in CATEGORIES)


def categories_with(added: Mapping[str, str]) -> tuple[Category, ...]:
    """Return the table and what settings add to it; a name that is there already gets the other description."""
    own = {name: Category(name, text) for name, text in added.items()}
    return (*(own.pop(one.name, one) for one in CATEGORIES), *own.values())
