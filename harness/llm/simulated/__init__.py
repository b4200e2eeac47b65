"""The simulated model: a chat-completions endpoint that is one plain function of the request.

What it is: honest text work on what the request holds, and nothing else. It knows no ids, labels,
splits or facts. ``sim-judge`` takes statements from the transcript, ranks them by clinical
salience, looks each up in the note, and the other way round; the instruction decides what it looks
for and how well (``cues``, ``attention``). ``sim-null`` does the same whatever the instruction
says: the landscape without any improvement to find. ``sim-extractor`` and ``sim-auditor`` are the
same model under other names; each answers any stage of any judge, told by the material and the
form in the prompt (``duties``), with a schema or by the contract's words alone (``forms``).
``sim-reflector`` writes new blocks, most of them better, some worse or unusable. Equal requests get
equal replies; noise is seeded by the request and its seed.

Stages: a list of facts or questions is made of the salient statements of the transcript, a list of
claims of the note's statements (``pipeline``); an audit looks facts up in the transcript and grades
them. Listed items are looked up one by one (``lookup``): facts and questions in the note, claims in
the transcript. One fact asked about in a call of its own is read more closely, and its log-odds are
smooth in the evidence; of a long list a few are skimmed. A second look knows paraphrases and
quotes the sentence that it found (``paraphrase``). A check by section asks where in the note a fact
stands (``sections``): the way in which a restated omission shows. In the odds of one closed question
it shows faintly, because a second mention makes a little surer; in no closed verdict does it show.

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
reasoning tokens. A list is longer for an instruction that names enumeration, details, completeness or
closed verdicts; a grade follows what hangs on a fact where severity is named. Omissions that survive
elsewhere in the note are hardly seen by anyone who does not ask for the section, because a fact is
looked up in the whole note.
"""
