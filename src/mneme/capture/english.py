"""How people say in English, in so many words, what is worth keeping; each row a kind, where it counts, and the words.

Tuned for precision: what is hedged, asked or only imagined is turned away before a row is looked at. Rows are tried in
order, so that a correction that also prefers stays a correction. `SPEECH` rows count in conversations alone, where
somebody speaks for themselves, `NOTES` rows in notes alone, where what stands before a colon is a label.
"""

from __future__ import annotations

from mneme.capture import english_life

BOTH, SPEECH, NOTES = "both", "speech", "notes"

# Feelings, wishes for others and manners of speaking, which say nothing that lasts.
_PLEASANT = r"(?:hear|see|chat|catch|talk|know|say|share|wait|be|try|hope|guess|bet|think|wonder|admit|miss)"
_MEANT = r"(?:send|write|call|email|mail|book|buy|order|pay|renew|cancel|fix|file|ship|submit|draft|review|schedule|prepare|finish|update|deploy|rotate|migrate|publish|register|pick up|drop off|sign up|set up|bring|check with|talk to|meet|visit|chat with|get back to|look into|give (?:the|my|our)|get the)"
_KIN = r"(?:wife|husband|partner|son|daughter|kid|mother|father|mom|mum|dad|brother|sister|aunt|uncle|cousin|grandma|grandpa|boss|manager|colleague|team|dog|cat|puppy|kitten)"
# A day or a stretch that is still to come.
_COMING = (
    r"(?:tomorrow|tonight|(?:on|by|before|until|from|this|next|due) (?:mon|tue|wed|thu|fri|sat|sun)\w*|(?:this|next) (?:week(?:end)?|month|year|spring|summer|autumn|fall|winter|quarter|sprint|semester|evening)"
    r"|(?:on|by|before|until) the (?:\d|first|second|third|end|\w+th)|(?:on|by|before|until|in|this|next|due) (?:\d{1,2}(?:st|nd|rd|th)?(?: of)? )?(?:jan|feb|mar|apr|may\b|june?\b|july?\b|aug|sept?|oct|nov|dec)\w*"
    r"|(?:on|by|before) \d{1,2}(?:st|nd|rd|th)?\b|in (?:a|an|one|two|three|four|five|six|\d+|a few|a couple of) (?:days?|weeks?|months?)|while \w+ (?:is|are) away)"
)
_BREAKS = r"(?:breaks?|fails?|crash(?:es)?|hangs?|corrupts?|deadlocks?|times? out|jams?|drops?|loses?|lost|deletes?|overwrites?|truncates?|ignores?|ignored|wipes?|wiped|stops?|corrupted|overwritten|deleted|truncated|returns? (?:200|nothing|null|an? (?:error|empty)))"
_OWN = r"(?:name|(?:e-?mail|home|postal)?\s?address|e-?mail|phone(?: number)?|birthday|time ?zone|job|role|title|company|office|salary|diet|blood type|native language|goal|dream)"

ROWS: tuple[tuple[str, str, str], ...] = (
    ("correction", BOTH, r"^(?:no|nope|wrong|incorrect)\b\s*[,:;.!—–-]+\s*(?:it(?:'s| is| was)|that(?:'s| is| was)|the \w+ (?:is|are|was|were)|i (?:said|meant|live|work|use|prefer|want)|we (?:use|said|meant|agreed)|my \w+ (?:is|are|was)|our \w+ (?:is|are|was)|use)\b(?! (?:ok|okay|fine|great|good|just))"),
    ("correction", SPEECH, r"^(?:no[,.! ]+)+(?:keep|use|leave|put|take|call|go with|only|the [\w ]{2,30} (?:is|are|was)|we|he|she|they|my|our)\b(?! (?:need|worries|problem|doubt|care|way)).{4,}"),
    ("correction", SPEECH, r"^(?:wait|hold on|hmm+|oops|small correction|correction|typo|my mistake|let me correct|scratch that|strike that|oh and|sorry)\b[\w ]{0,12}[,:;.!—–-]+\s*.{0,60}\b(?:is|are|was|were|it's|that's|not|'s|have|runs?|fails?|should|meant)\b.{3,}"),
    ("correction", SPEECH, r"\b(?:is|are|was|were|it's|that's|he's|she's|they're|i'm|we're|'s|said|meant) (?!about|just|only|more|all|so|really)(?:[\w.:'-]+ ){0,5}[\w.:'-]+, not (?!just|only|sure|bad|too|that|really|necessarily|even|because|when|if|to|as|for|so|what|how|a problem|always)(?:[\w.:'-]+ ?){1,4}(?:[,.!]|$)"),
    ("correction", SPEECH, r"\b(?:it|that|he|she|they|we|i) (?:isn't|aren't|wasn't|is not|never said)\b (?!just|only|always|easy|about|like|really|sure|going|that (?:bad|hard))[^,;]{2,60}[,;—–-]+ ?(?:it|that|he|she|they|we|i|but)(?:'s|'re|'m| is| are| was| just)?\b"),
    ("correction", SPEECH, r"\byou(?:'ve| have|'re)? (?:got (?:that|it|this) (?:wrong|backwards?|mixed up)|keep (?:saying|calling|using|writing)|mixed (?:that|it|them|\w+) up|confus(?:ed|ing)|misunderst\w+|misread|misheard)\b"),
    ("correction", SPEECH, r"\b(?:name|it)(?:'s| is) (?:spelled|spelt|written|pronounced)\b"),
    ("correction", SPEECH, r"^(?:please )?stop (?:calling|saying|writing|adding|putting|assuming)\b.{6,}"),
    ("correction", SPEECH, r"\b(?:we|i|they|he|she) (?:don't|doesn't|do not) (?!know|think|want|see|mind|care|believe|understand|feel)\w+ .{2,40}\b(?:any ?more|any longer)\b"),
    ("correction", SPEECH, r"^(?:actually|sorry),? (?:it|that|the|my|we|i meant|i said)\b.{0,60}\b(?:is|was|are|not|meant|said|should|lands?|starts?|runs?)\b(?! (?:good|great|fine|ok|okay|nice|cool|so|really|pretty|very|amazing|perfect)\b)"),
    ("correction", SPEECH, r"^(?:actually|sorry),? no\b[,.! ]+\S.{4,}"),
    ("correction", BOTH, r"\bthat(?:'s| is| was) (?:wrong|not right|incorrect|not correct|not what i (?:said|meant|asked|wanted))\b"),
    ("correction", SPEECH, r"^(?:i (?:meant|said)|what i (?:meant|said) (?:was|is))\b(?! (?:hi|hello|goodbye|yes|no to|well\b|it\b|to\b|goodnight))"),
    ("correction", SPEECH, r"\b(?:it|that)(?:'s| is| was) not (?!just|only|always|easy|about|like|really)\S.{1,50}[,;—–-]+\s*(?:it|that|but)(?:'s| is| was)?\s"),
    ("correction", SPEECH, r"^(?:please )?(?:don't|do not|stop) us(?:e|ing)\b.{1,80}\b(?:use|instead)\b"),
    ("correction", NOTES, r"^(?:correction|corrected|erratum)\s*:\s*\S"),
    ("decision", BOTH, r"^(?:decisions?|decided|final decision|resolved|resolution|solution|rule|agreed|verdict|we (?:also )?decided)\s*(?:\([^)]*\)\s*)?:\s*\S"),
    ("decision", BOTH, r"\b(?:we|i|they|the team)(?:'ve| have| has)? (?:just |finally |all |also |now )?(?:decided (?:(?:yesterday|today|last \w+|this \w+|together|in the end|on \w+day|a \w+ ago),? )?(?:to|on|against|that|not to)\b|settled on|opted for|agreed (?:to|on|that)|committed to)\b(?! nothing)"),
    ("decision", SPEECH, r"\b(?:we|i)(?:'ve| have)? (?:just |finally |all |also |now )*(?:chose|picked(?! up)|selected|scrapped|ditched|abandoned|postponed|settled on|opted (?:for|to)|voted (?:for|to|against)|committed to|made up (?:my|our) minds?)\b(?! (?:it|that|this|them|you)\b)"),
    ("decision", SPEECH, r"\b(?:we|i) (?:finally |just |both )?ended up (?:picking|choosing|going|buying|using|with|keeping|selling|taking|staying)\b"),
    ("decision", SPEECH, r"\b(?:we're|i'm|we are|i am) (?:now |finally |all )?(?:going with (?!you|my |the flow|him|her)|switching (?:to|from|the|our|my|over)|dropping|removing support|moving (?:off|away from|over to)|replacing|sticking with (?!it)|standardi[sz]ing|phasing out|not going to (?:use|support|ship|build|renew))\b.{3,}"),
    ("decision", SPEECH, r"\bwe (?:won't|will not|no longer) (?:support|do|use|ship|build|go|offer|renew|hire|need|move|sell|maintain|accept)\b"),
    ("decision", SPEECH, r"\bwe(?:'ll| will) (?:keep (?:the|our|using)|stay (?:with|on)|move to|replace|drop|postpone|only)\b(?! (?:in touch|you|it up|going|fighting|pushing))"),
    ("decision", SPEECH, r"\b(?:team|board|committee|family|council|everyone|management|wife and i|husband and i) (?:has |have )?(?:decided|voted|agreed|chose|settled)\b"),
    ("decision", SPEECH, r"\bit (?:was|is|has been) (?:decided|agreed|settled)\b|^(?:so )?(?:that's|it's) (?:settled|decided|final)\b.{4,}|^final (?:call|decision|answer)\b.{4,}|^the plan is (?:to|that)\b"),
    ("decision", SPEECH, r"^(?:from|starting) (?:next|monday|today|tomorrow|january|this|now|here) ?(?:\w+ )?(?:on,? )?(?:we|i)\b"),
    ("decision", SPEECH, r"\blet's (?:not |just )?(?:use|drop|skip|ditch|postpone|adopt|name it|call it|rename|standardi[sz]e|freeze)\b(?! (?:it\b|that\b|this (?:one|time)))"),
    ("decision", SPEECH, r"\b(?:i|we) (?:\w+ed|took|bought|chose|went)\b (?:\w+ )?.{3,60}\b(?:instead of|rather than)\b"),
    ("decision", SPEECH, r"\b(?:let's|let us|we(?:'ll| will| should)|i(?:'ll| will)) (?:go with|stick (?:with|to)|switch (?:to|from|over)|standardi[sz]e on|settle on)\b"),
    ("decision", SPEECH, r"^(?:ok(?:ay)?,? |so )?(?:let's|we(?:'ll| will)) use\b"),
    ("decision", NOTES, r"^(?:switched|moved|migrated|changed|standardi[sz]ed) (?:from .{1,60} )?(?:to|on)\b.{3,}\b(?:because|since|so that|instead|for)\b"),
    ("decision", NOTES, r"^(?:chose|picked|selected|adopted|dropped|rejected)\b.{3,}\b(?:because|over|instead of|rather than|in favou?r of)\b"),
    ("gotcha", BOTH, r"^(?:gotchas?|pitfall|caveat|warning|beware|watch out|careful|heads up|lessons?(?: learned)?|learned|root cause|issue|key (?:discovery|insight|lesson|learning)|important|signal)\s*(?:\([^)]*\)\s*)?[:!]\s*\S"),
    ("gotcha", SPEECH, r"\b(?:i|we)(?:'ve| have)? (?:just )?learn(?:ed|t) (?:that\b|the hard way|it the hard way|not to\b|to (?:always|never)\b)"),
    ("gotcha", SPEECH, r"\blearn(?:ed|t) (?:that|this|it) the hard way\b"),
    ("gotcha", BOTH, r"\b(?:breaks|fails|crashes|hangs|corrupts|deadlocks|is ignored|times out)\b (?:silently )?(?:if|when|unless|because|without|on)\b"),
    ("gotcha", SPEECH, r"^(?:heads up|fair warning|be warned)\b|^(?:it )?turns out (?:that )?(?!fine|great|good|well|to be (?:fun|great))\w+.{8,}|\bgot (?:bitten|burned|burnt|bit) by\b"),
    ("gotcha", SPEECH, r"\b(?:gets?|is|are) (?:silently )?(?:wiped|reset|overwritten|purged|truncated|ignored|rebuilt|corrupted|swallowed|dropped|cleared)\b.{3,}"),
    ("gotcha", SPEECH, r"\b(?:the|our|my|this|that) [\w -]{2,40} (?:only (?:works?|builds?|runs?|starts?|loads?)|(?:doesn't|won't|can't) (?:work|build|start|run|load|compile))\b.{0,10}\b(?:with|when|if|on|after|in|unless|without|while|from|as)\b.{3,}"),
    ("gotcha", SPEECH, r"\b(?:the|our|my|this) [\w -]{2,40} " + _BREAKS + r"\b.{0,30}\b(?:with|when|if|after|unless|without|while|even|on|by default|every)\b.{3,}"),
    ("gotcha", SPEECH, r"^(?:if|when|once|unless|as soon as) (?:you|the|it|a|an|someone)\b[^,?]{4,80},? [^?]{0,40}\b" + _BREAKS + r"\b"),
    ("gotcha", SPEECH, r"\b(?:it )?took (?:me|us) .{2,30}\bto (?:find|figure|realise|realize|notice|discover|work out)\b"),
    ("gotcha", SPEECH, r"\byou (?:have|need) to\b.{4,60}\b(?:before the|otherwise|or (?:it|the|else)|first\b|again before|to take effect|before (?:it|any))"),
    ("gotcha", BOTH, r"^(?:never|don't|do not)\b.{6,90}[,;—–-]+ ?it (?:\w+ )?" + _BREAKS + r"\b"),
    ("gotcha", BOTH, r"\b(?:be careful|watch out|beware)\b.{0,20}\b(?:with|of|when|that|not to|for|because)\b"),
    ("gotcha", BOTH, r"\b(?:never|don't|do not|always)\b.{3,80}\b(?:or (?:it|else|the)|otherwise|because (?:it|that|this|the))\b"),
    ("gotcha", NOTES, r"^\[\d{4}-\d\d-\d\d\]\s+\S"),
    ("preference", BOTH, r"^(?:preferences?|prefers?|style|rule of thumb|convention)\s*:\s*\S"),
    ("preference", SPEECH, r"\bi(?:'d)? (?:(?:also|just|really|absolutely|much|strongly|still|totally|generally|usually|always|do) )*(?:prefer|hate|dislike|can't stand|adore)\b"),
    ("preference", SPEECH, r"\bi (?:(?:also|just|really|absolutely|still|totally|do) )+(?:love|enjoy|like) (?!(?:your|that|how|it|them|his|her|their|having|this|these|those|the way|the idea|hearing|seeing how|to " + _PLEASANT + r")\b)\S"),
    ("preference", SPEECH, r"^(?:(?:and|but|well|yeah|yes|oh|also|so),? )*(?:i|we)(?:'ve always| always| will always| \w+l(?:e)?y)? (?:love|loved|enjoy|like|liked) (?!(?:the (?:colou?rs?|look|sound|way|vibe|design|name|photo|pic(?:ture)?)|your|that|how|it|his|her|their|this|these|those|the way|the idea|the thought|hearing|all|being|having|to help|to " + _PLEASANT + r")\b)[\w\"\u201c]"),
    ("preference", SPEECH, r"\b(?:i|we) (?:don't|do not) (?:really |particularly )?(?:like|enjoy|care for|want (?:any|to be))\b(?! (?:that|it|this|how|your|the (?:idea|sound|way|look))\b)|\bi can't (?:stand|bear)\b"),
    ("preference", SPEECH, r"\b(?:is|are|has become|have become|'s)(?: \w+){0,2} (?:my|like an?) (?:biggest |main |real |true |first |number one |favou?rite )?(?:rock|escape|passion|therapy|go-to|stress[ -]\w+|happy place|motivation|comfort (?:food|zone)|hobby|guilty pleasure)\b|\bwhy i(?:'m (?:so )?passionate about| (?:really )?(?:love|like|enjoy|hate) (?!it\b|this\b|that\b|you))"),
    ("preference", SPEECH, r"^(?!(?:it|this|that|these|those|you|your|they|he|she|seeing|hearing|knowing|his|her|their)\b)(?:[\w']+ ){1,5}(?:(?:calms|relaxes|energi[sz]es|soothes) me|helps me (?:relax|unwind|express myself|de-?stress|clear my (?:mind|head)|switch off|escape|focus|sleep))\b|\bi find (?!it\b|that\b|this\b)(?:\w+ ){1,4}(?:relaxing|therapeutic|calming|boring|annoying|distracting|soothing|exhausting)\b"),
    ("preference", SPEECH, r"\b(?:we|i) (?:both |all |really |just |absolutely )*(?:love|enjoy|like|hate) (?:being (?:outdoors|outside|alone|active|in|on|near|able)|\w+(?<!be)(?<!hav)(?<!hear)(?<!see)(?<!know)ing\b(?! (?:it|them|that|you|your|this|with you|up with you)\b))|^(?:love|hate|enjoy|like) (?!being|having|hearing|seeing|knowing|your|that|how|it|this)\w+ing\b|\bhow much i (?:love|like|enjoy|hate)\b"),
    ("preference", SPEECH, r"\bi(?:'d| would) (?:much )?rather (?:have|use|get|see|be|work|keep|read|pay|walk|write|do)\b(?! (?:that|it|this|not)\b)|\bi(?:'d| would) like (?:the|my|all|every|you to (?:always|never|keep)) .{6,}"),
    ("preference", SPEECH, r"\bi(?:'m| am) (?:all about (?!this|these|that|those|it)|more of an?|an? (?:morning|night|dog|cat|tea|coffee|people|city|outdoors?) (?:person|lover))\b|(?:\bis|'s|\bare) (?:really |very |so |super |definitely )?(?:important to me|(?:on|at the top of) my (?:bucket )?list)\b|\bcan'?t (?:imagine|picture|live) (?:my )?(?:life )?without (?!it\b|you\b|them\b)\w+"),
    ("preference", SPEECH, r"\bi (?:usually|normally|typically|generally|mostly|tend to|rarely|hardly ever|never|always) (?!want|know|think|said|say|thought|forget|forgot|wanted|mind|knew|meant|see|feel|felt|get|got|had|have to|heard|remember|wonder|hoped|believed|imagined|expected|quit|give)\w+ .{4,}"),
    ("preference", SPEECH, r"^(?:please |pls )?(?:don't|do not|avoid|no(?! \w+ing)|keep|use|write|format|show (?!me when)|tell|ask|send|give|put|name|leave out|skip|spell) (?!worr|mind|problem|me (?:what|how|why|the)\b).{3,60}\b(?:when(?:ever)? (?:you|we|i)|unless i|every(?: time|thing|where)|all (?:my|our|the)|any of (?:my|our|the)|(?:to|for) (?:me|customers|clients)(?: again)?[.!]*$|in (?:all|every|any|your (?:answers|replies))|before you (?:commit|push|change|edit|delete|run|send|merge))\b"),
    ("preference", SPEECH, r"^(?:when|whenever|every time|before) you \w+.{2,60},? (?:please |always |never )?(?:use|do(?:n't)?|start|show|tell|ask|give|write|put|add|keep|run|include|begin|explain|say)\b.{3,}"),
    ("preference", SPEECH, r"\bwe (?:always |never |only |usually )?(?:keep|write|name|indent|format|store|log|document|prefix|squash|tag) (?!in touch|going|up\b|it\b)\w+.{0,40}\b(?:in|with|as|without|by|under|before|after)\b"),
    ("preference", SPEECH, r"^call me (?!back|when|if|later|crazy|tomorrow|old)(?-i:[A-Z])\w+|^(?:dark|light) mode\b|^(?:window|aisle) seat\b"),
    ("preference", SPEECH, r"(?:\b(?:is|are|was)|'s) (?:one of )?my (?:all-time |absolute )?(?:fav(?:e|ou?rite)?s?|go-to)\b"),
    ("preference", SPEECH, r"\bmy (?:all-time )?fav(?:ou?rite)? (?!part\b|memor)(?:\S+ ){1,5}(?:is|are|has to be|would be|was)\b"),
    ("preference", SPEECH, r"\b(?<!why )(?<!reason )(?:i(?:'m| am| was)|we(?:'re| are)(?: (?:all|both))?) (?:so |really |totally |such )?(?:a (?:big|huge|total|massive) fan of|passionate about|crazy about|into|obsessed with|not a fan of|hooked on|totally hooked|a fan of)\b(?! (?:it|them|that|those|this|these|yours?)\b)"),
    ("preference", SPEECH, r"\bi(?:'ve| have) always (?:loved|liked|wanted|enjoyed|hated|been (?:into|passionate about|a fan of)|had a (?:love|passion|thing))\b"),
    ("preference", SPEECH, r"\b\w+ is my passion\b|\bmy (?:real |true )?passion is\b"),
    ("preference", SPEECH, r"\b(?:the )?user (?:prefers|likes|dislikes|wants|hates|loves)\b"),
    ("preference", NOTES, r"\b(?:user|he|she|they|(?-i:[A-Z])\w+) (?:prefers?|likes|dislikes|hates|loves|wants (?:all|every|short|no|only|his|her|their))\b"),
    ("preference", SPEECH, r"^(?:and |also |please |pls )*(?:always|never) (?!mind|too|say never|know|ever|been|give up|stop|forget|here|good|happy|up|there|nice|fun|excited|looking|wanted|glad|ready|had|saw|seen|thought|expected|imagined|a )\w+.{6,}"),
    ("preference", SPEECH, r"\bfrom now on\b|^in (?:the )?future,|\bgoing forward,"),
    ("preference", SPEECH, r"^(?:please )?(?:answer|reply|respond|write|talk) (?:to me )?(?:only )?(?:in|with|without|using)\b.{3,}\b(?:always|every time|please|only)\b"),
    ("preference", NOTES, r"^(?:always|never|don't|do not|no(?!,)(?!.*\b(?:detected|found|concerns?|degradation|corruption|changes?|issues?|errors?|seen|observed|required|needed|reported|available|yet|left|pending|impact|downtime|regressions?)\b)|avoid|prefer|skip|only|react|stick to|keep)\b(?! (?:happy|here|good|up for|fun|nice|glad|excited|ready|forget|mind|longer|one|reply|response|data|errors?|issues?|action|change|new|need|problem|further|alert|such|progress|message|critical|blocker|update)).{12,}"),
    ("preference", NOTES, r"^[^.:—]{2,40}[:—]\s*(?:always|never|don't|do not)\b.{8,}"),
    ("preference", NOTES, r"\bis (?:NEVER|ALWAYS|never|always) (?:a |an |the |to be )?(?:trusted|allowed|acceptable|an option|okay|ok)\b"),
    ("preference", NOTES, r"^(?:(?-i:[A-Z])\w+ ){1,4}(?:out )?.{2,40}\binstead of\b.{4,}"),
    ("todo", BOTH, r"^(?:to-?dos?|action items?|tasks?|next(?: steps?)?|follow-?up|reminder|open)\s*:\s*(?!none\b|nothing\b|n/a\b|does\b)\S"),
    ("todo", SPEECH, r"\bdon't let me forget\b|\b(?:can't|cannot|mustn't|must not|shouldn't) forget (?:to|about|the)\b|\b(?:put|add) .{3,50}\b(?:on|to) (?:my|the|our) (?:to-?do |shopping )?(?:list|calendar|agenda)\b|^don't forget to (?!be|breathe|have|enjoy|believe|take care|smile|prepare|live|love|keep|relax)\w+"),
    ("todo", SPEECH, r"\b(?:is|are|it's) due\b.{0,6}\b" + _COMING + r"|\bexpires?\b.{0,20}\b" + _COMING + r"|\b(?:have|has|got|'ve) (?:an? |my )?(?:\w+ ){0,3}(?:appointment|interview|exam|flight|deadline|check-?up|meeting|presentation|surgery)\b.{0,20}\b" + _COMING),
    ("todo", SPEECH, r"\b(?:i|we)(?:'m| am|'re| are) (?:(?:also|now|still|all) )?(?:going to|gonna) (?!be\b|keep\b|have\b|try\b|see\b|do my\b|(?:a|an|the|my|our)\b)\w+ .{2,80}\b" + _COMING),
    ("todo", SPEECH, r"^(?!(?:additionally|after that|finally|lastly|once|then|moreover|furthermore)\b)(?:.*\b)?(?:i|we)(?: still| really| also)? (?:want to|need to|have to|must|gotta|should|hope to|plan to|promised(?: \w+){0,3} to|will)\b (?!be\b|keep\b|see\b).{2,80}\b" + _COMING),
    ("todo", SPEECH, r"^(?:" + _COMING + r"),? (?:i|we)(?:'ll| will|'m| am|'re| are| have to| need to| must| should) .{4,}"),
    ("todo", SPEECH, r"\b(?:i|we) (?:start|begin|leave|fly|travel|move|return|present|meet|launch|release) .{0,50}\b" + _COMING + r"|\b(?:i|we)(?:'m| am|'re| are) (?:getting ready for|preparing for|flying|travell?ing|leaving|moving|meeting|presenting|seeing|hiking|starting|taking|visiting|hosting|running|driving|launching|releasing)\b.{0,60}\b" + _COMING + r"|^planning (?:a|an|to|our|my)\b.{4,}"),
    ("todo", SPEECH, r"\b(?:some(?:one|body)|he|she|they|it) (?:still )?(?:needs?|has|have) to (?:be )?(?:" + _MEANT + r"|replaced|renewed|cancel+ed|fixed|signed|paid|removed|updated|moved|returned|done)\b"),
    ("todo", SPEECH, r"\bremind me (?:to|about|that)\b|\bi (?:must|mustn't) (?:not )?forget to\b"),
    ("todo", SPEECH, r"^(?!(?:additionally|after that|finally|lastly|once|then|next|first|second|also|moreover|furthermore|as part)\b)(?!.*\bids?\b.*\d)(?:.*\b)?(?:i|we)(?:'ll| will)? (?:still |really |also )*(?:need to|have to|must|gotta|should) " + _MEANT + r"\b"),
    ("todo", SPEECH, r"\b(?:i'll|i will|i'm going to|i'm gonna|we'll|we're going to)\s+(?:definitely |also )?" + _MEANT + r"\b.{0,60}\b(?:tomorrow|tonight|later|soon|today|next (?:week|month|year)|this (?:week|month|weekend|evening)|by (?:mon|tue|wed|thu|fri|sat|sun|the|end|\d)|on (?:mon|tue|wed|thu|fri|sat|sun)|before)\b"),
    ("todo", SPEECH, r"\bi'?m (?:gonna|going to) (?:do more|" + _MEANT + r")\b.{4,}"),
    ("todo", SPEECH, r"\bi'll make sure (?:i|that i|to) (?!keep|let|never|remember|stay)\w+.{3,}\b(?:before|by|tomorrow|later)\b"),
    ("todo", SPEECH, r"\bwe(?:'re| are) planning to\b|\bi(?:'m| am) planning to\b"),
    ("todo", NOTES, r"^tomorrow,? (?:i|we)(?:'ll| will)\b|^(?:i|we)(?:'ll| will| need to| must| have to) " + _MEANT + r"\b"),
    ("entity", BOTH, r"\b(?:his|her|its|their|the (?:dog|cat|puppy|kitten|baby|project|company|team|app)'?s?) names?(?:'s| is| are) (?!not\b)(?P<name>(?-i:[A-Z])[\w'-]+)"),
    ("entity", SPEECH, r"\bmy (?:\w+ ){0,2}" + _KIN + r"(?:'s name is| is called| is named|,) (?P<name>(?-i:[A-Z])[\w'-]+)"),
    ("entity", SPEECH, r"\b(?:my|our|her|his|their|the) (?:[\w-]+ ){0,3}\w+ (?:is|was) (?:called|named) (?P<name>(?-i:[A-Z])[\w'-]+)"),
    ("entity", SPEECH, r"^(?:this is|meet) (?P<name>(?-i:[A-Z])[\w'-]+), (?:my|our|the|a)\b|^(?P<who>(?:(?-i:Dr|Mr|Mrs|Ms)\. )?(?-i:[A-Z])[\w'-]+(?: (?-i:[A-Z])[\w'-]+)?) is (?:my|our) (?:new |old |favou?rite )?(?:\w+ ){0,2}(?:" + _KIN + r"|\w+(?:ist|er|or|ian|ant|doctor|nurse|friend|mate|coach|lead|client|customer))\b"),
    ("entity", SPEECH, r"\b(?:new (?:addition|member|puppy|kitten|dog|cat|baby)\b.{0,40}\b(?:this is|meet|named|called)) (?P<name>(?-i:[A-Z])[\w'-]+)"),
    ("entity", SPEECH, r"\bi (?:have|got|adopted) an? (?:\w+ ){0,3}(?:named|called) (?P<name>(?-i:[A-Z])[\w'-]+)"),
    ("entity", NOTES, r"^(?P<name>\$?(?-i:[A-Z])[\w.$-]+(?: (?-i:[A-Z])[\w.-]+){0,3}) (?:—|–|is (?:a|an|the|our|my)) .{0,20}\b(?:token|company|person|customer|client|product|service|project|library|framework|colleague|founder|startup|owner|contact|manager|engineer|designer|repo|bot|agent)\b"),
    ("fact", BOTH, r"^(?:please )?(?:remember|keep in mind|note|for the record|fyi|for your information)\b(?:(?: that\b|\s*,) (?:i|we|my|our|the (?!key|most|important|best|secret))\b|\s*:).{4,}"),
    ("fact", BOTH, r"^facts?\s*:\s*\S"),
    ("fact", SPEECH, r"\bmy " + _OWN + r"(?:'s| is| are| will be)\b(?! (?:so|really|very|just|to die))"),
    ("fact", SPEECH, r"\bi(?:'m| am) (?:(?:currently|also|actually|originally|a bit) )*(?:lactose|gluten|allergic|vegan|vegetarian|diabetic|left-handed|colou?r-?blind|married|divorced|engaged|pregnant|single|retired|unemployed|self-employed|\d{2} years old|from (?-i:[A-Z])|based in|living in|lactose intolerant)\b"),
    ("fact", SPEECH, r"\bi(?:'m| am) (?:(?:currently|also|now|actually) )*an? (?:\w+[ -]){0,2}(?:engineer|developer|analyst|designer|teacher|nurse|doctor|student|lawyer|writer|artist|manager|banker|chef|scientist|researcher|founder|consultant|accountant|photographer|musician|vegetarian|vegan|dancer|driver|coach|plumber|architect|freelancer|contractor|product owner|parent|mother|father|veteran|librarian|pilot|farmer|journalist)\b"),
    ("fact", SPEECH, r"\b(?:i|we) (?:(?:currently|now|also|still|both) )*(?:work (?:as|at|for|in|on the|from)|live (?:in|at|near|with)|volunteer|mentor|own (?:a|an|my|two|the)|grew up|was born|studied|study|moved (?:to|from)|teach|run (?:a|an|my|the)|speak \w+|play (?:the )?\w+ (?:for|in)|graduated|served)\b"),
    ("fact", SPEECH, r"\b(?:i|we)(?:'m| am|'re| are) (?:(?:currently|now|also|just|finally) )+(?:learning|reading|studying|training|writing|working (?:on|at|as)|living|building|taking|preparing for|in the|creating|volunteering|participating|planning|organi[sz]ing|mentoring|coaching|renovating|raising)\b(?! (?:a book that|hard))"),
    ("fact", SPEECH, r"\bi used to (?:love|hate|enjoy|like|smoke|drink|draw|paint|sing|live|work|compete|play|be|go|own|teach|study|dance|run|have)\b"),
    ("fact", SPEECH, r"\b(?:i |just )(?:just |recently |finally )?(?:lost|quit|left|started|got) (?:my|a new|the) job\b|\blost my job\b"),
    ("fact", SPEECH, r"\bi(?:'ve)? (?:just |recently |finally )?(?:got|adopted|bought) (?:a|an|two|another|my|this|these) (?:\w+ ){0,2}(?:pups?|puppies|turtles?|puppy|kitten|dog|cat|house|car|apartment|flat|bike|piano|guitar)\b"),
    ("fact", SPEECH, r"\bi(?:'ve)? (?:just |recently |finally )?joined (?:a|an|the|my)\b|\bjust (?:started|joined|signed) (?:doing|going to|learning|taking|volunteering|with|working|teaching|a)\b"),
    ("fact", SPEECH, r"\bmy (?:long-?term |biggest |main )?(?:dream|goal|plan|job|role) is (?:to|being)\b"),
    ("fact", SPEECH, r"\b(?:we|our (?:team|company)) (?:use|deploy|host|run) (?!to\b|up\b|into\b|out\b|it\b)\w+.{3,}\b(?:for|in|on|with|as|to)\b"),
    ("fact", SPEECH, r"\bi(?:'ve| have) (?:been|had|worked|lived|played|taught|known) .{2,60}\b(?:for (?:\w+ )?(?:years?|months?|\d+)|since (?:i was|\d{4}|last|childhood|i))\b"),
    ("fact", SPEECH, r"\bi (?:have|'ve got) (?:a|an|one|two|three|four|five|\d) (?:\w+ ){0,2}(?:kids?|children|sons?|daughters?|siblings?|brothers?|sisters?|dogs?|cats?|pets?|turtles|allerg\w+|degree)\b"),
    ("fact", SPEECH, r"\bhaving my own \w+|\bmy (?:own )?(?:online )?(?:\w+ )?(?:store|studio|shop|business|company) is (?:open|called)\b"),
    ("fact", SPEECH, r"\b(?:official |grand )?(?:opening(?: night)?|launch|deadline|meeting|appointment|flight|exam|interview|wedding) is (?:on |at )?(?:tomorrow|today|next|mon|tue|wed|thu|fri|sat|sun|the \d|\d)"),
    ("fact", SPEECH, r"\bi(?:'m| am) (?:going|off|moving|flying|travell?ing) to (?!have\b|be\b|do\b|keep\b|go\b|try\b|make\b|get\b|look\b|see\b|start\b)(?:a |an |the )?[\w ]+\b(?:this|next|tomorrow|on|for a|in) ?(?:week|month|year|weekend|semester|mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)?"),
    ("fact", SPEECH, r"\b(?:the )?user(?:'s)? (?:is|works|lives|has|name|birthday)\b"),
    ("fact", NOTES, r"^[\w /.-]{2,40}:\s.{0,40}?(?:\b\d{1,2}(?::\d\d)?\s?[ap]m\b|\bevery \d+ ?(?:min|hours?|days?|h\b)|\b(?:daily|weekly|monthly) (?:at|on)\b|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b).{4,}"),
    ("fact", NOTES, r"^(?:(?:main |default |home |personal |work |primary |production |staging )?(?:time ?zone|language|e-?mail|phone|owner|repo(?:sitory)?|url|host(?:name)?|server|domain|port|model|provider|budget|contact|address|account|user ?name|location|stack|architecture|database|runtime|wallet|licen[cs]e|role|company|employer|birthday|pronouns|subscription|region|ssh|office hours))\s*:\s*(?!\[|tbd|n/a|none|unknown|\?|✅|❌|ok\b|done\b)\S.{2,}"),
    ("fact", NOTES, r"^[\w.`/-]{3,40} (?:repo|file|server|database|service|page|dashboard|folder)? ?(?:lives?|runs|is (?:at|on|in|deployed|hosted|served)|has|holds|contains|handles|mirrors|enables) (?!been\b|to\b|not\b|no\b)(?:\S+ ){1,}"),
    ("fact", NOTES, r"^(?:this|the) (?:cron|job|service|server|repo|script|agent|database|cluster) \w+s\b.{8,}"),
    ("fact", NOTES, r"\b(?:only )?(?:(?-i:lives)|runs|listens|deployed|hosted|scheduled) (?:at|on|in|for|via) \S+"),
    ("fact", NOTES, r"^(?-i:[A-Z])[\w /&-]{3,40}: (?-i:[A-Z]).{3,60}\bby default\b|^(?-i:[A-Z])[\w -]{3,30} by default: .{8,}"),
    *english_life.ROWS,
)  # fmt: skip

# Not said of this world, not said by whoever speaks, or not said at all.
HEDGED = (
    r"^(?:if (?!(?:you|the)\b[^,?]{4,80},? [^?]{0,40}\b"
    + _BREAKS
    + r")|when(?:ever)? (?!i (?:was|turned) |you \w+.{2,60},? (?:please |always |never )?(?:use|do(?:n't)?|start|show|tell|ask|give|write|put|add|keep|run|include|begin|explain|say)\b))",
    r"^(?:should|could|would|can(?!'t)|will|what(?! i (?:meant|said) (?:was|is)\b)|why|how|where|who|which|whose|do|does|did|is|are|was|were|has|have|had|am|maybe|perhaps|imagine|suppose|wish(?:ing)?|hope(?:fully)?)\b",
    r"\b(?:maybe|perhaps|might|not sure|no idea|i guess|i suppose|i wonder|thinking (?:of|about)|considering|haven't decided|hypothetically|for example|e\.g\.|in theory|i wish|would have)\b",
    r"\b(?:said|says|told me|asked|claims?|according to)\b.{0,12}[\"\u201c]",
    r"^(?:some(?:one|body)|people|they|he|she|my (?!phone|bank|watch)\w+|everyone|(?!never\b|always\b|don\b|we\b|i\b|just\b|please\b)(?-i:[A-Z])\w+)(?: on the \w+)? (?:(?:also|just|once) )?(?:said|says|claims?|claimed|thinks?|thought|told me|asked|believes?|reckons?|suggest(?:s|ed)|wants me)\b",
    r"^(?:please )?(?:translate|rewrite|rephrase|paraphrase|proofread|summari[sz]e|spell-?check|pretend|correct this|how do you say)\b",
    r"\b(?:just kidding|only joking|kidding aside|oh sure|exactly what i (?:wanted|needed)|yeah right)\b|\bi (?:wish|was thinking)\b|^in (?:the|my|this) (?:book|movie|film|novel|dream|game|story|show)\b",
    r"^(?:thanks|thank you|congrats|congratulations|good luck|bye|hello|hi|wow|great|cool|nice|sounds|glad|sorry|happy for|way to go|keep (?:it )?up|keep going|can't wait|hey|welcome|you're|you are|you(?:'ve)?(?! (?:have )?(?:got (?:that|it|this) |keep (?:saying|calling|using|writing)|mixed|confus|misunderst|misread|misheard))|your)\b(?!.{0,24}\b(?:my|i|i'm|our)\b)",
)
