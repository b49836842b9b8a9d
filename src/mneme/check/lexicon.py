"""The words that comparing two claims turns on: stop words, denials, rivals, scopes, and words that are one word.

English and Chinese, written by hand from what agents remember: tools, schedules, preferences, people. A row of rivals
holds words of which only one can be true of one thing; a row of scopes holds words that make two claims about
different things. One line is one row.
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _rows(text: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(line.split()) for line in text.strip().splitlines())


STOP_WORDS = _words(
    """
a an the is are was were be been being am do does did has have had will would shall should can could may might must
to of in on at by for from with as and or but so than that this these those it its we our us they their them he she
his her you your i my me there here which who whom what when where while then also just only very too into onto over
if because since about via per any all each every both own such same always need needs want please now currently
"""
)

DENIALS = _words(
    """
not no never dont doesnt didnt isnt arent wasnt werent wont wouldnt shouldnt cant cannot couldnt mustnt neednt hasnt
havent hadnt without none nothing nobody avoid avoids avoided avoiding forbid forbids forbidden prohibit prohibits
prohibited stop stops stopped refuse refuses disallow disallowed unsupported 不 没 禁止 无
"""
)

# `not` denies what is said where one of the first stands before it or one of the second comes after it; elsewhere, as in
# `SQLite not JSON`, it only says what something is not mistaken for.
DENIED_AFTER = _words(
    """
is are was were be been being am do does did has have had will would shall should can could may might must and or but
if why whether better still often also just so yet then them it they we you i he she this that there which who
"""
)
DENIED_BEFORE = _words(
    """
to be been only just yet even all any every enough until before after unless if when on in at for by from with than
without more less a an the use run own need go have do work exist apply help matter kept sent done made set put shown
known given taken left seen held
"""
)

NUMBER_WORDS = _words(
    """
two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty sixty ninety hundred
thousand million once twice thrice half quarter
"""
)

RIVALS = _rows(
    """
tab tabs space spaces
enable enables enabled enabling disable disables disabled disabling deactivated activated
true false
yes no-way
allow allows allowed permit permits permitted deny denies denied reject rejects rejected block blocks blocked
before after
first last
sync async synchronous asynchronous
monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays sundays
january february march april june july august september october november december
morning afternoon evening noon midnight night mornings afternoons evenings
hourly daily weekly fortnightly biweekly monthly quarterly yearly annually nightly
light dark
left right
public private
required optional mandatory
manual manually automatic automatically
min minimum max maximum
accept accepts accepted decline declines declined
open opened closed
single double
merge merges merged squash squashed rebase rebased
json yaml toml xml csv ini protobuf parquet avro msgpack
sqlite postgres postgresql mysql mariadb mongodb redis memcached dynamodb cassandra duckdb oracle mssql clickhouse
rest grpc graphql soap
npm yarn pnpm bun
pip poetry uv conda pipenv pdm
black yapf autopep8
pytest unittest nose
jest vitest mocha
react vue svelte angular solid
flask django fastapi tornado bottle
aws gcp azure hetzner ovh digitalocean
kafka rabbitmq nats sqs pulsar kinesis
nginx apache caddy traefik haproxy
slack teams discord mattermost telegram
jira linear asana trello notion
github gitlab bitbucket gitea
ansible terraform puppet chef pulumi salt
docker podman containerd
utc gmt cet cest est pst
english chinese german french spanish japanese korean
vim emacs nano vscode neovim
bash zsh fish
mit apache2 gpl agpl bsd
coffee tea
red green blue yellow orange purple pink teal black white grey gray brown
vegetarian vegan omnivore
window aisle
phone email sms
cash card
celsius fahrenheit kelvin
metric imperial
increase increases increased decrease decreases decreased reduce reduces reduced
start starts started end ends ended
faster slower
higher lower
primary secondary
camelcase snakecase snake_case kebab pascalcase
开启 关闭 启用 停用 禁用 打开
允许 拒绝
之前 之后 以前 以后
周一 周二 周三 周四 周五 周六 周日 星期一 星期二 星期三 星期四 星期五
上午 下午 早上 晚上 中午 凌晨
每天 每周 每月 每年 每小时
同步 异步
公开 私有
手动 自动
浅色 深色
空格 制表符
中文 英文 日文
微信 钉钉 飞书 邮件 短信
咖啡 茶 绿茶 红茶
单引号 双引号
北京 上海 深圳 杭州 广州 成都
支付宝 银行卡 现金
最大 最小
"""
)

SCOPES = _rows(
    """
staging production prod dev development test testing ci local qa preview sandbox
linux macos mac windows android ios
frontend backend server client mobile desktop web
weekday weekdays weekend weekends
internal external
read write reads writes reading writing
upload uploads download downloads
input output inputs outputs
request response requests responses
summer winter spring autumn
unit integration e2e smoke
north south east west
buyer seller
admin guest
inbound outbound
home office
breakfast lunch dinner
测试环境 生产环境 开发环境 预发环境
前端 后端 服务端 客户端
工作日 周末
读取 写入
上传 下载
安卓 苹果
内网 外网
夏天 冬天
早餐 午餐 晚餐
"""
)

# What only one does: two claims that differ in who does it contradict each other.
ROLE_VERBS = _words("owns leads maintains manages runs chairs approves handles heads supervises coordinates")

# Nouns that a number or a letter follows as a name: `server 2` is another thing than `server 3`.
NUMBERED_THINGS = _words(
    """
account appendix batch bay branch bug building bus camera case cell chapter class client cluster column customer
device disk dock env exercise field figure floor gate grade group host issue lab lane lesson level line model module
monitor node option partition phase plan platform port-group pr printer project question queue rack region release
replica rfc room row screen section sensor server shard sheet site slot sprint stage step store table team ticket
tier track unit user vm warehouse worker zone
"""
)

# Words whose stem would hide that they are one word: the first of a line stands for the others.
SYNONYMS = {
    word: row[0]
    for row in _rows(
        """
use used uses using utilise utilize
databas db dbs
configur config configs configuration
repositori repo repos repository repositories
environment env
document docs doc documentation
authent auth authentication
kubernet k8s kubernetes
postgres postgresql
js javascript
ts typescript
stor stored
keep kept
run ran runs
live lives
prefer prefers likes like
millisecond ms
second sec secs
minute mins
hour hrs
go went
build built
send sent
writ written wrote
choos chosen chose
start begins
"""
    )
    for word in row[1:]
}

# The same for the values of rivals, after stemming.
SAME_VALUES = {
    word: row[0]
    for row in _rows(
        """
allow permit permitt
reject den deni deny
enabl activat
disabl deactivat
requir mandatori
manual manually
automatic automatically
min minimum
max maximum
postgres postgresql
sync synchronou
async asynchronou
开启 打开 启用
关闭 停用 禁用
yearli annual annually yearly
fortnightly biweekly
decreas reduc
midday noon
snakecase snake_case
"""
    )
    for word in row[1:]
}
