"""Programs on the path that an agent may not think of: a table of well-known ones, each with what it is for.

Only what is in the table becomes a card, because a path holds thousands of names that say nothing; another program is
added with `mneme cards add`.
"""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from mneme.hosts.sources import Found

if TYPE_CHECKING:
    from mneme.hosts.sources import Machine

# name | another name it may have | what it does | more words that should bring it to mind, Portuguese ones among them | example
_TABLE = """
ffmpeg||convert, cut and join audio and video|converter vídeo, extrair áudio, compress video, mp4, mp3, gif|ffmpeg -i in.mov out.mp4
magick|convert|resize, crop and convert images|redimensionar imagem, resize image, imagemagick, png to jpg|magick in.png -resize 50% out.jpg
pandoc||convert documents between Markdown, Word, HTML and PDF|converter documento, docx, markdown to pdf, epub|pandoc notes.md -o notes.pdf
tesseract||recognise the text in an image|ocr, ler texto da imagem, scanned page|tesseract scan.png out
pdftotext||take the text out of a PDF|extrair texto do pdf, read pdf|pdftotext -layout file.pdf -
yt-dlp|youtube-dl|download video and audio from the web|baixar vídeo, download video, youtube|yt-dlp URL
whisper|whisper-cli|transcribe speech|transcrever áudio, speech to text, transcription|whisper talk.mp3
jq||query and reshape JSON|filtrar json, json query|jq '.items[].name' file.json
yq||query and edit YAML|editar yaml, yaml query|yq '.services' compose.yaml
duckdb||run SQL over CSV and Parquet files|consultar csv, sql over csv, parquet|duckdb -c "select * from 'a.csv'"
sqlite3||query a SQLite database|banco sqlite, sqlite query|sqlite3 app.db '.tables'
psql||query a PostgreSQL database|banco postgres, postgres query|psql -c 'select 1'
mysql||query a MySQL database|banco mysql, mysql query|mysql -e 'show tables'
redis-cli||inspect a Redis server|chave do redis, redis keys|redis-cli get key
mongosh||query a MongoDB database|banco mongo, mongodb query|mongosh --eval 'db.stats()'
rg||search text in files, quickly|procurar no código, ripgrep, search code|rg 'pattern' src
fd|fdfind|find files by name|procurar arquivo, find file by name|fd report
ast-grep|sg|search and rewrite code by its structure|buscar código por estrutura, structural search, codemod|ast-grep -p 'foo($A)' src
semgrep||find bugs in code by pattern|análise estática, static analysis|semgrep --config auto
gh||work with GitHub: issues, pull requests, releases, runs|abrir pull request, github issue, ci run|gh pr create
glab||work with GitLab: issues, merge requests, pipelines|merge request, gitlab issue|glab mr create
docker||build and run containers|contêiner, container logs, imagem docker|docker compose up -d
podman||build and run containers without a daemon|contêiner podman|podman run --rm image
kubectl||inspect and change a Kubernetes cluster|pods, cluster, reiniciar deployment|kubectl get pods
helm||install and upgrade charts in a cluster|instalar chart, helm upgrade|helm upgrade --install app ./chart
terraform|tofu|provision infrastructure as code|infraestrutura, terraform plan|terraform plan
ansible|ansible-playbook|configure many machines at once|configurar servidores, playbook|ansible-playbook site.yml
aws||manage Amazon Web Services|bucket s3, instâncias na aws, ec2|aws s3 ls
gcloud||manage Google Cloud|projeto no google cloud|gcloud projects list
az||manage Microsoft Azure|recursos no azure|az group list
rclone||copy files to and from cloud storage|copiar para a nuvem, google drive, dropbox|rclone copy dir remote:dir
rsync||copy folders, also to other machines, by difference|sincronizar pastas, copy to server|rsync -a src/ host:dst/
restic|borg|back up folders, encrypted|fazer backup, cópia de segurança|restic backup ~/work
nmap||find hosts and open ports in a network|portas abertas, port scan, varrer rede|nmap 10.0.0.0/24
openssl||make and inspect certificates and keys|certificado, tls certificate|openssl x509 -in cert.pem -text
gpg||encrypt, decrypt and sign files|criptografar arquivo, assinar, encrypt file|gpg -d file.gpg
trivy||find vulnerabilities in images and dependencies|vulnerabilidades, scan image|trivy image name
hyperfine||measure how long commands take|medir tempo, benchmark command|hyperfine 'make test'
playwright||drive a browser: open pages, click, take screenshots|captura de tela do site, web screenshot, testar no navegador|playwright screenshot URL out.png
chromium|google-chrome|open pages in a browser without a window|abrir página, page to pdf, headless browser|chromium --headless --screenshot URL
adb||control an Android phone|celular android, android logs|adb logcat
xcrun||run Apple's developer tools: simulators, signing|simulador ios, ios simulator|xcrun simctl list
ollama||run language models on this machine|modelo local, local model|ollama run llama3.2
blender||render and change 3D scenes|renderizar, 3d render|blender -b scene.blend -f 1
openscad||make 3D models from code|modelo 3d, 3d printing, stl|openscad -o out.stl model.scad
arduino-cli|platformio|build and upload firmware|gravar firmware, microcontroller|arduino-cli compile
graphviz|dot|draw graphs from text|desenhar grafo, diagram from text|dot -Tsvg graph.dot
mmdc||draw Mermaid diagrams|diagrama mermaid, sequence diagram|mmdc -i a.mmd -o a.svg
libreoffice|soffice|convert and print office documents|converter planilha, docx to pdf, xlsx|soffice --headless --convert-to pdf a.docx
latexmk|pdflatex|typeset LaTeX documents|compilar latex, latex pdf|latexmk -pdf paper.tex
exiftool||read and change the metadata of photos and files|metadados da foto, exif|exiftool photo.jpg
himalaya|mutt|read and send e-mail from the command line|ler e-mail, send mail|himalaya envelope list
say|espeak-ng|read a text aloud|ler em voz alta, text to speech|espeak-ng 'hello'
crontab||run commands on a schedule|agendar tarefa, cron job|crontab -l
tmux||keep terminals running in the background|sessão de terminal, background terminal|tmux new -d 'make watch'
"""


def find_programs(machine: Machine) -> list[Found]:
    """Return the programs of the table that are on the path."""
    found = []
    for line in _TABLE.strip().splitlines():
        name, other, verb, words, example = line.split("|", 4)
        if any(shutil.which(one, path=machine.search_path) for one in (name, other) if one):
            triggers = (name, *(word.strip() for word in words.split(",")))
            description = f"Program on this machine: {verb}."
            found.append(
                Found("os", f"program_{name}", name, verb, description, tuple(dict.fromkeys(triggers)), example=example)
            )
    return found
