"""Other trackers' exports as archives, which an import then reads like any other.

So all that holds for archives holds for every source: a project comes completely or not at all, and only
once; damaged data changes nothing; people without an account are placeholders.

A source is one module with one documented function, named in ``registry.py``::

    def read(files: SourceFiles, report: Report, options: SourceOptions) -> list[Project]:

1. It recognises its files by their content (``SourceFiles`` opens the files of a file, a folder or an
   archive alike), and raises Invalid with one sentence for what it cannot use, naming the file and the
   field, or the line. ``Fields`` reads the members of JSON objects and raises such sentences; ``items``
   reads the objects of large JSON files one after the other; a ``Spool`` keeps what is read before its
   ticket in a file.
2. It returns projects of ``records.py``. ``Project.names`` yields the name and number of each ticket and
   is called first; ``Project.tickets`` yields the tickets, in the same order. Both are generators,
   because only a few tickets fit into memory. Before the names end, ``milestones``, ``closed_states``,
   ``levels`` and those of ``people`` whom texts mention must be there.
3. A ticket has its present values. Each ``Change`` says what it set, with the value before and after;
   ``history.py`` works out the values of all versions from these, and joins changes of one moment.
4. Texts are Markdown, in which references are as the source writes them: ``#12``, ``PROJ-12``, ``!7``,
   ``@login``, commits, addresses. ``References`` of the project says what they mean; ``rewriting.py``
   rewrites them, and nothing else does.
5. Moments are microseconds since 1970 in UTC (``moments.py``); people are named by their keys, which are the
   same in every export of that tracker.
6. What is kept is counted by ``report.keep``. What comes with another value is ``report.change``, what
   does not come is ``report.lose``, each with a sentence and an example. Nothing is left out silently.
"""
