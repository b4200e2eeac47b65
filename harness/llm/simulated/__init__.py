"""The simulated model: a chat-completions endpoint that is one plain function of the request.

What it is: honest text work on what the request holds, and nothing else. It knows no ids, labels,
splits or facts. ``sim-judge`` takes statements from the transcript, ranks them by clinical
salience, looks each up in the note, and the other way round; the instruction decides what it looks
for and how well (``cues``, ``attention``). ``sim-null`` does the same whatever the instruction
says: the landscape without any improvement to find. ``sim-extractor`` and ``sim-auditor`` serve
the stages of a pipeline, ``sim-reflector`` writes new blocks, most of them better, some worse or
unusable. Equal requests get equal replies; noise is seeded by the request and its seed.

What it is not: evidence about real models. It is calibrated to show a published pattern
(``bands``), so finding that pattern with it shows that the machinery works, and nothing more.

Concepts that an instruction can name, in any wording that ``cues.CONCEPTS`` recognises:

============  ==================================================  ==========================================
concept       named by, for example                               what it changes
============  ==================================================  ==========================================
whole         complete, comprehensive, coverage                   omissions are looked for, shallowly
omissions     left out, missing, omission                         more statements examined, more recognised
unscoped      "do not count omissions", "ignore gaps"             omissions are hardly looked for
support       faithful, unsupported, contradicted, invented       unsupported statements cost more
enumerate     list / write down / go through ... facts            all salient statements are examined
closed        present or absent, a verdict for each, one by one   doubtful findings count in full, less haze
details       three of dose, side, negation, timing, number ...   a missing detail counts like a missing fact
compression   do not penalise shorthand, terse is fine            more tolerance for other words
severity      severity, clinical significance, harm               points follow clinical weight
quote         quote, verbatim, point to the sentence              steadier reading
brevity       reward short notes                                  long notes lose, omissions are overlooked
strict        strict, rigorous                                    more points per finding, same order
lenient       benefit of the doubt                                fewer points per finding, same order
============  ==================================================  ==========================================

An instruction far over 2,500 characters dilutes attention; reasoning effort enlarges it and costs
reasoning tokens. Omissions that survive elsewhere in the note are hardly seen by anyone, because
a fact is looked up in the whole note.
"""
