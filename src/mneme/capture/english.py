"""How people say in English, in so many words, what is worth keeping; each row a kind, where it counts, and the words.

Tuned for precision: what is hedged, asked or only imagined is turned away before a row is looked at. Rows are tried in
order, so that a correction that also prefers stays a correction. `SPEECH` rows count in conversations alone, where
somebody speaks for themselves, `NOTES` rows in notes alone, where what stands before a colon is a label.
"""

from __future__ import annotations

BOTH, SPEECH, NOTES = "both", "speech", "notes"

# Feelings, wishes for others and manners of speaking, which say nothing that lasts.
_PLEASANT = r"(?:hear|see|chat|catch|talk|know|say|share|wait|be|try|hope|guess|bet|think|wonder|admit|miss)"
_MEANT = r"(?:send|write|call|email|mail|book|buy|order|pay|renew|cancel|fix|file|ship|submit|draft|review|schedule|prepare|finish|update|deploy|rotate|migrate|publish|register|pick up|drop off|sign up|set up|bring|check with|talk to|meet|visit|chat with|get back to|look into|give (?:the|my|our)|get the)"
_KIN = r"(?:wife|husband|partner|son|daughter|kid|mother|father|mom|mum|dad|brother|sister|aunt|uncle|cousin|grandma|grandpa|boss|manager|colleague|team|dog|cat|puppy|kitten)"
_OWN = r"(?:name|(?:e-?mail|home|postal)?\s?address|e-?mail|phone(?: number)?|birthday|time ?zone|job|role|title|company|office|salary|diet|blood type|native language|goal|dream)"

ROWS: tuple[tuple[str, str, str], ...] = (
    ("correction", BOTH, r"^(?:no|nope|wrong|incorrect)\b\s*[,:;.!—–-]+\s*(?:it(?:'s| is| was)|that(?:'s| is| was)|the \w+ (?:is|are|was|were)|i (?:said|meant|live|work|use|prefer|want)|we (?:use|said|meant|agreed)|my \w+ (?:is|are|was)|our \w+ (?:is|are|was)|use)\b(?! (?:ok|okay|fine|great|good|just))"),
    ("correction", SPEECH, r"^(?:actually|sorry),? (?:it|that|the|my|we|i meant|i said)\b.{0,60}\b(?:is|was|are|not|meant|said|should)\b"),
    ("correction", BOTH, r"\bthat(?:'s| is| was) (?:wrong|not right|incorrect|not correct|not what i (?:said|meant|asked|wanted))\b"),
    ("correction", SPEECH, r"^(?:i (?:meant|said)|what i meant was)\b(?! (?:hi|hello|goodbye|yes|no to))"),
    ("correction", SPEECH, r"\b(?:it|that)(?:'s| is| was) not (?!just|only|always|easy|about|like|really)\S.{1,50}[,;—–-]+\s*(?:it|that|but)(?:'s| is| was)?\s"),
    ("correction", SPEECH, r"^(?:please )?(?:don't|do not|stop) us(?:e|ing)\b.{1,80}\b(?:use|instead)\b"),
    ("correction", NOTES, r"^(?:correction|corrected|erratum)\s*:\s*\S"),
    ("decision", BOTH, r"^(?:decisions?|decided|final decision|resolved|resolution|solution|rule|agreed|verdict|we (?:also )?decided)\s*(?:\([^)]*\)\s*)?:\s*\S"),
    ("decision", BOTH, r"\b(?:we|i|they|the team)(?:'ve| have| has)? (?:just |finally |all |also |now )?(?:decided (?:to|on|against|that|not to)|settled on|opted for|agreed (?:to|on|that)|committed to)\b"),
    ("decision", SPEECH, r"\b(?:let's|let us|we(?:'ll| will| should)|i(?:'ll| will)) (?:go with|stick (?:with|to)|switch (?:to|from|over)|standardi[sz]e on|settle on)\b"),
    ("decision", SPEECH, r"^(?:ok(?:ay)?,? |so )?(?:let's|we(?:'ll| will)) use\b"),
    ("decision", NOTES, r"^(?:switched|moved|migrated|changed|standardi[sz]ed) (?:from .{1,60} )?(?:to|on)\b.{3,}\b(?:because|since|so that|instead|for)\b"),
    ("decision", NOTES, r"^(?:chose|picked|selected|adopted|dropped|rejected)\b.{3,}\b(?:because|over|instead of|rather than|in favou?r of)\b"),
    ("gotcha", BOTH, r"^(?:gotchas?|pitfall|caveat|warning|beware|watch out|careful|lessons?(?: learned)?|learned|root cause|issue|key (?:discovery|insight|lesson|learning)|important|signal)\s*(?:\([^)]*\)\s*)?[:!]\s*\S"),
    ("gotcha", SPEECH, r"\b(?:i|we)(?:'ve| have)? (?:just )?learn(?:ed|t) (?:that\b|the hard way|it the hard way|not to\b|to (?:always|never)\b)"),
    ("gotcha", SPEECH, r"\blearn(?:ed|t) (?:that|this|it) the hard way\b"),
    ("gotcha", BOTH, r"\b(?:breaks|fails|crashes|hangs|corrupts|deadlocks|is ignored|times out)\b (?:silently )?(?:if|when|unless|because|without|on)\b"),
    ("gotcha", BOTH, r"\b(?:be careful|watch out|beware)\b.{0,20}\b(?:with|of|when|that|not to|for|because)\b"),
    ("gotcha", BOTH, r"\b(?:never|don't|do not|always)\b.{3,80}\b(?:or (?:it|else|the)|otherwise|because (?:it|that|this|the))\b"),
    ("gotcha", NOTES, r"^\[\d{4}-\d\d-\d\d\]\s+\S"),
    ("preference", BOTH, r"^(?:preferences?|prefers?|style|rule of thumb|convention)\s*:\s*\S"),
    ("preference", SPEECH, r"\bi(?:'d)? (?:(?:also|just|really|absolutely|much|strongly|still|totally|generally|usually|always|do) )*(?:prefer|hate|dislike|can't stand|adore)\b"),
    ("preference", SPEECH, r"\bi (?:(?:also|just|really|absolutely|still|totally|do) )+(?:love|enjoy|like) (?!(?:your|that|how|it|them|his|her|their|having|this|these|those|the way|the idea|hearing|seeing how|to " + _PLEASANT + r")\b)\S"),
    ("preference", SPEECH, r"^(?:(?:and|but|well|yeah|yes|oh|also|so),? )*i(?:'ve always| always| will always)? (?:love|loved|enjoy|like|liked) (?!(?:your|that|how|it|his|her|their|this|these|those|the way|the idea|the thought|hearing|all|being|having|to help|to " + _PLEASANT + r")\b)\w"),
    ("preference", SPEECH, r"\b(?:is|are|was) (?:one of )?my (?:all-time )?(?:fav(?:ou?rite)?s?|go-to)\b"),
    ("preference", SPEECH, r"\bmy (?:all-time )?fav(?:ou?rite)? (?!part\b|memor)(?:\S+ ){1,5}(?:is|are|has to be|would be|was)\b"),
    ("preference", SPEECH, r"\b(?<!why )(?<!reason )i(?:'m| am| was) (?:so |really |totally |such )?(?:a (?:big|huge|total|massive) fan of|passionate about|crazy about|into|obsessed with|not a fan of|hooked on|totally hooked|a fan of)\b"),
    ("preference", SPEECH, r"\bi(?:'ve| have) always (?:loved|liked|wanted|enjoyed|hated|been (?:into|passionate about|a fan of)|had a (?:love|passion|thing))\b"),
    ("preference", SPEECH, r"\b\w+ is my passion\b|\bmy (?:real |true )?passion is\b"),
    ("preference", SPEECH, r"\b(?:the )?user (?:prefers|likes|dislikes|wants|hates|loves)\b"),
    ("preference", NOTES, r"\b(?:user|he|she|they|(?-i:[A-Z])\w+) (?:prefers?|likes|dislikes|hates|loves|wants (?:all|every|short|no|only|his|her|their))\b"),
    ("preference", SPEECH, r"^(?:and |also |please |pls )*(?:always|never) (?!mind|too|say never|know|ever|been|give up|stop|forget|here|good|happy|up|there|nice|fun|excited|looking|wanted|glad|ready|a )\w+.{6,}"),
    ("preference", SPEECH, r"\bfrom now on\b|^in (?:the )?future,|\bgoing forward,"),
    ("preference", SPEECH, r"^(?:please )?(?:answer|reply|respond|write|talk) (?:to me )?(?:only )?(?:in|with|without|using)\b.{3,}\b(?:always|every time|please|only)\b"),
    ("preference", NOTES, r"^(?:always|never|don't|do not|no(?!,)(?!.*\b(?:detected|found|concerns?|degradation|corruption|changes?|issues?|errors?|seen|observed|required|needed|reported|available|yet|left|pending|impact|downtime|regressions?)\b)|avoid|prefer|skip|only|react|stick to|keep)\b(?! (?:happy|here|good|up for|fun|nice|glad|excited|ready|forget|mind|longer|one|reply|response|data|errors?|issues?|action|change|new|need|problem|further|alert|such|progress|message|critical|blocker|update)).{12,}"),
    ("preference", NOTES, r"^[^.:—]{2,40}[:—]\s*(?:always|never|don't|do not)\b.{8,}"),
    ("preference", NOTES, r"\bis (?:NEVER|ALWAYS|never|always) (?:a |an |the |to be )?(?:trusted|allowed|acceptable|an option|okay|ok)\b"),
    ("preference", NOTES, r"^(?:(?-i:[A-Z])\w+ ){1,4}(?:out )?.{2,40}\binstead of\b.{4,}"),
    ("todo", BOTH, r"^(?:to-?dos?|action items?|tasks?|next(?: steps?)?|follow-?up|reminder|open)\s*:\s*(?!none\b|nothing\b|n/a\b|does\b)\S"),
    ("todo", SPEECH, r"\bremind me (?:to|about|that)\b|\bi (?:must|mustn't) (?:not )?forget to\b"),
    ("todo", SPEECH, r"\b(?:i|we)(?:'ll| will)? (?:still |really |also )?(?:need to|have to|must|gotta|should) " + _MEANT + r"\b"),
    ("todo", SPEECH, r"\b(?:i'll|i will|i'm going to|i'm gonna|we'll|we're going to)\s+(?:definitely |also )?" + _MEANT + r"\b.{0,60}\b(?:tomorrow|tonight|later|soon|today|next (?:week|month|year)|this (?:week|month|weekend|evening)|by (?:mon|tue|wed|thu|fri|sat|sun|the|end|\d)|on (?:mon|tue|wed|thu|fri|sat|sun)|before)\b"),
    ("todo", SPEECH, r"\bi'?m (?:gonna|going to) (?:do more|" + _MEANT + r")\b.{4,}"),
    ("todo", SPEECH, r"\bi'll make sure (?:i|that i|to) (?!keep|let|never|remember|stay)\w+.{3,}\b(?:before|by|tomorrow|later)\b"),
    ("todo", SPEECH, r"\bwe(?:'re| are) planning to\b|\bi(?:'m| am) planning to\b"),
    ("todo", NOTES, r"^tomorrow,? (?:i|we)(?:'ll| will)\b|^(?:i|we)(?:'ll| will| need to| must| have to) " + _MEANT + r"\b"),
    ("entity", BOTH, r"\b(?:his|her|its|their|the (?:dog|cat|puppy|kitten|baby|project|company|team|app)'?s?) names?(?:'s| is| are) (?!not\b)(?P<name>(?-i:[A-Z])[\w'-]+)"),
    ("entity", SPEECH, r"\bmy (?:\w+ ){0,2}" + _KIN + r"(?:'s name is| is called| is named|,) (?P<name>(?-i:[A-Z])[\w'-]+)"),
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
    ("fact", SPEECH, r"\bi used to (?:live|work|compete|play|be|go|own|teach|study|dance|run|have)\b"),
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
    ("fact", NOTES, r"^[\w.`/-]{3,40} (?:repo|file|server|database|service|page|dashboard|folder)? ?(?:lives?|runs|is (?:at|on|in|deployed|hosted|served)|has|holds|contains|handles|mirrors|enables) (?!been\b|to\b|not\b|no\b)(?:\S+ ){1,}"),
    ("fact", NOTES, r"^(?:this|the) (?:cron|job|service|server|repo|script|agent|database|cluster) \w+s\b.{8,}"),
    ("fact", NOTES, r"\b(?:only )?(?:(?-i:lives)|runs|listens|deployed|hosted|scheduled) (?:at|on|in|for|via) \S+"),
    ("fact", NOTES, r"^(?-i:[A-Z])[\w /&-]{3,40}: (?-i:[A-Z]).{3,60}\bby default\b|^(?-i:[A-Z])[\w -]{3,30} by default: .{8,}"),
)  # fmt: skip

# Not said of this world, not said by whoever speaks, or not said at all.
HEDGED = (
    r"^(?:if|should|could|would|can|will|what|why|how|when|where|who|which|whose|do|does|did|is|are|was|were|has|have|had|am|maybe|perhaps|imagine|suppose|wish(?:ing)?|hope(?:fully)?)\b",
    r"\b(?:maybe|perhaps|might|not sure|no idea|i guess|i suppose|i wonder|thinking (?:of|about)|considering|haven't decided|hypothetically|for example|e\.g\.|in theory|i wish|would have)\b",
    r"\b(?:said|says|told me|asked|claims?|according to)\b.{0,12}[\"\u201c]",
    r"^(?:thanks|thank you|congrats|congratulations|good luck|bye|hello|hi|wow|great|cool|nice|sounds|glad|sorry|happy for|way to go|keep (?:it )?up|keep going|can't wait|hey|welcome|you're|you are|you've|you|your)\b(?!.{0,24}\b(?:my|i|i'm|our)\b)",
)
