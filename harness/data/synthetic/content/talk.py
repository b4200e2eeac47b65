"""Talk around the facts: greetings, small talk, lead-ins, hedges, acknowledgements, recap, goodbye."""

from __future__ import annotations

GREETINGS = {
    "gp": (
        "[Hello|Hi|Good morning|Good afternoon|Come in], {title}[, take a seat|, have a seat|, do sit down|]. "
        "I'm Dr {doctor}[, one of the GPs here|, I don't think we've met|, we met last year I think|]"
    ),
    "emergency": (
        "[Hello|Hi there|Good evening], {title}? [I'm|My name's] Dr {doctor}, [one of the emergency doctors|"
        "I'm the registrar in A&E tonight|I'm looking after you in the department]"
    ),
    "follow-up": (
        "[Good to see you again|Welcome back|Nice to see you again|Hello again], {title}. [I've had a look at "
        "your notes|I've read the letter from last time|How have things been since last time]"
    ),
    "telephone": (
        "[Hello|Hi], [is that|am I speaking to|is this] {title}? [It's|This is] Dr {doctor} [calling from the "
        "surgery|ringing you back|from the health centre], [can you hear me okay|is now a good time|are you "
        "alright to talk]"
    ),
    "home visit": (
        "[Hello|Morning|Hi], {title}, [it's|I'm] Dr {doctor}[, the front door was open|, your neighbour let "
        "me in|, may I come through]. [Don't get up|Stay where you are|No, stay in your chair]"
    ),
}
REPLIES = (
    "[Hello doctor|Hi|Yes, hello|Oh, hi doctor|Hello], [thanks for [seeing me|fitting me in|your time]|good "
    "to [see|hear from] someone at last|I'm {first}, that's fine|sorry to bother you with this]"
)
# For those who came to the doctor, not for those who were rung or visited.
TRAVEL = (
    "[Did you find|Any trouble with] [parking|the buses|getting here] [this morning|today|alright]?",
    (
        "[The|Oh, the] [roadworks|car park|bus|one-way system] [was a nightmare|took me twenty minutes|is "
        "beyond a joke], [I nearly turned round|but there we are|never again]"
    ),
)
CHATTER = (
    (
        "[It's been|What about] this weather, [eh|honestly|hasn't it been awful]?",
        "[Tell me about it|I know], [the garden's|my greenhouse is|our street's] [a swamp|ruined|under water again]",
    ),
    (
        "How's the [family|garden|dog|allotment] [keeping|doing]?",
        (
            "[Oh, not bad|Much the same|Can't complain], [the tomatoes came late|the grandson starts school "
            "soon|we've got builders in|the dog's been to the vet]"
        ),
    ),
    (
        (
            "[Bear with me|Sorry, one second|Just a moment] while [this computer wakes up|I find the right "
            "screen|the system loads]"
        ),
        (
            "[Take your time|No rush|You're alright], [mine's the same at home|they never work when you need "
            "them|I've got nowhere to be]"
        ),
    ),
    (
        "[Are you watching|Did you catch] the [football|cricket|tennis|bake-off] [last night|at the weekend]?",
        (
            "[I fell asleep|Only the second half|Don't, I can't talk about it|We turned it off], [they were "
            "hopeless|it was too tense|my lot never win]"
        ),
    ),
    (
        "[Any holidays|Anything nice] [planned|coming up] [this year|soon]?",
        (
            "[We're off to|Thinking of|My sister wants] [Whitby|Tenby|Skye|the Lakes|Cromer|Donegal][ in the "
            "caravan|, weather permitting|, if we can afford it]"
        ),
    ),
)
OPENERS = (
    (
        "[So|Right then|Okay], [what can I do for you|what's brought you in|how can I help|what would you "
        "like to talk about] [today|this time]?"
    ),
    "[Tell me|Why don't you tell me] [what's been going on|what's been troubling you|what's on your mind]",
)
COMPLAINTS_TWO = (
    "[Well|Um, well|So|Right], [it's two things really|there's a couple of things], [first|first of all] it's "
    "{a}, and [then there's|also] {b}"
)
COMPLAINTS_THREE = (
    "[Well|Um|Okay, so], [I've made a list|there's three things, sorry|it's a few things at once], [it's|"
    "there's] {a}, then {b}, [and|and lastly] {c}"
)
TURNS = (
    "[Right|Okay|Good|Fine], [now|so|then], {a}",
    "[Let's come to|Moving on to|Now,|Coming on to] the other [thing|matter], {a}",
    "[And you mentioned|You also said|You'd also got] {a}",
)
LEADS = (
    "",
    "",
    "",
    "Okay. ",
    "Right. ",
    "I see. ",
    "Mm-hm. ",
    "Got you. ",
    "Alright. ",
    "Sure. ",
    "Thank you. ",
    "That's helpful. ",
    "Good to know. ",
    "Noted. ",
    "Fair enough. ",
    "Understood. ",
    "Yes, of course. ",
)
STEPS = ("", "", "", "", "Okay. ", "Right. ", "Good. ", "So. ", "Now then. ", "Next. ", "Alright. ", "And next. ")
HEDGES = (
    ("",) * 8
    + ("Um, ", "Well, ", "Er, ", "Hmm, ", "Let me think, ", "Oh, ", "I mean, ", "To be honest, ", "So, ", "Uh, ")
    + ("Funny you ask, ", "Now you mention it, ", "How can I put it, ", "As far as I know, ", "Let's see, ", "Right, ")
)
TAILS = ("",) * 7 + (
    (
        "[It's|All this is|That's] [getting me down|wearing me out|driving me mad|no fun][, really|, honestly|"
        ", I can tell you|]"
    ),
    "[My|Our] [daughter|son|mum|sister|cousin] [made|told|begged|nagged] me to [come|ring|get it seen to][, really|]",
    "[I looked it up|I read about it] [online|on the internet|in a magazine], [which didn't help|bad idea|never again]",
    "[I just want|I'd just like] to [know what it is|get to the bottom of it|be able to work|get back to normal]",
    "[Sorry|Oh, sorry], I'm [rambling|going on|all over the place|jumping about][ today|]",
    "[You know|I'm sure you know] how [it is|that goes|these things are]",
    "[I didn't want|I never like|I wasn't going] to [bother anyone|make a fuss|waste your time][, you're so busy|]",
    (
        "[My|The] [wife|husband|neighbour|boss|barber] [says|reckons|keeps saying] I [ignore things|never "
        "complain|soldier on]"
    ),
    "I [should|ought to] have [come|rung|said something] [sooner|weeks ago|before now]",
    "[That's|At least that's] [the truth|what I remember|how I'd put it|as near as I can say]",
    "[Is that|Would that be] [normal|usual|the kind of thing you mean|any use to you]?",
)
ACKS = (
    "Okay.",
    "Right.",
    "Okay, doctor.",
    "Makes sense.",
    "Alright.",
    "I see.",
    "Fine.",
    "Good, okay.",
    "Thank you.",
    "Oh, right.",
    "Yeah, okay.",
    "That's fine.",
    "Oh good.",
    "Sure.",
    "Fair enough.",
    "Lovely.",
)
EXAM = (
    "[Let me|I'll|Shall I|Can I] [have a look at you|examine you|take a quick look|see for myself], "
    "[if that's alright|is that okay|if you don't mind|if I may][, then|]?",
    "[Would you|Could you|Can you] [hop|climb|get|jump] up on the couch [for me|a moment|here] "
    "[so I can examine you|please|while I wash my hands]?",
)
RECAP = (
    "[So, to recap|Let me just go over that|So let me check I've got this right|To summarise|So, all in all], "
    "[we've got|you've told me about|there's|you came with] {facts}. "
    "[Is that right|Does that sound right|Is that everything|Have I missed anything|Did I hear that correctly]?"
)
PLAN = (
    "[So here's|Right, here's|This is|Let me tell you] what [I think|I suggest|I'd like to do|I'd propose]"
    "[ next| from here| for all this|]"
)
GOODBYES = (
    "[Anything else|Was there anything else|Any questions|Is there more] "
    "[before you go|at all|from your side|you wanted to ask|on your list]?",
    "[I think that's us|We're all done|That's everything then|Good], "
    "[take care|look after yourself|mind how you go|all the best|get some rest][ now|, and regards at home|]",
)
FAREWELLS = (
    "[No|No, that's everything|I think that's it|Nothing else], [thanks|thank you|cheers|much obliged] "
    "[very much|doctor|for your help|for listening|for explaining it]"
)
