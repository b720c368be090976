"""The documentation of an invented library, Tidepool, which runs jobs from a queue. All texts are ours."""

from model import (
    Cards,
    Code,
    Contents,
    Definitions,
    Function,
    Heading,
    Image,
    Page,
    Paragraph,
    Site,
    Subpages,
    Table,
    items,
    note,
)

H, P = Heading, Paragraph


def site():
    return Site("Tidepool", PAGES)


PAGES = [
    Page(
        "index",
        "Tidepool",
        [
            P("Tidepool runs jobs from a queue, in order, once, on as many machines as you like."),
            Cards(
                [
                    ("First steps", "@start/index", "Install the library and run a job within five minutes."),
                    ("Guides", "@guide/index", "Schedules, retries, storage and deployment, one topic per page."),
                    ("Reference", "@reference/index", "Every class, option and error, without explanations."),
                    ("Help", "@help/index", "Answers to frequent questions, and what to do when nothing moves."),
                ]
            ),
            P(
                "The source code is published under the terms of [the licence](@help/licence). Releases appear about every six weeks."
            ),
        ],
    ),
    Page("start/index", "First steps", [Subpages()]),
    Page(
        "start/installation",
        "Installing the library",
        [
            P("Tidepool needs Python 3.10 or later and runs on Linux, macOS and Windows."),
            Code("shell", "python -m pip install tidepool\ntidepool --version"),
            P("The command prints the version and the folder that holds the settings:"),
            Code("text", "tidepool 4.2.0\nsettings: ~/.config/tidepool/settings.toml"),
            H(2, "Optional parts", "extras"),
            P("Some parts need further packages. Install them by naming the extra:"),
            Table(
                ["Extra", "Adds", "Needed for"],
                [
                    ["`postgres`", "the driver `psycopg`", "[the PostgreSQL store](@guide/storage#postgresql)"],
                    ["`metrics`", "an HTTP endpoint", "[dashboards](@guide/observability)"],
                    ["`cron`", "a parser for `*/5 * * * *`", "[schedules](@guide/scheduling#cron)"],
                ],
            ),
            H(2, "From source"),
            items(
                "Clone the repository.",
                ["Build the wheel:", Code("shell", "cd tidepool\npython -m build --wheel")],
                "Install what is in the folder `dist`.",
                ordered=True,
            ),
            note(
                "warning",
                "The main branch may contain migrations that are not released. Do not point it at a store that you need.",
            ),
            P("Once it is installed, [run a first job](@start/first-job)."),
        ],
    ),
    Page(
        "start/first-job",
        "Running a first job",
        [
            P("A job is a function with a name. This one greets somebody, and fails if it does not know whom:"),
            Code(
                "python",
                'from tidepool import Queue, job\n\nqueue = Queue("greetings")\n\n\n@job(queue, attempts=3)\ndef greet(name: str) -> str:\n'
                '    if not name:\n        raise ValueError("name is empty")\n\n    return f"Hello, {name}!"\n\n\ngreet.submit("Ada")',
            ),
            P("Submitting returns at once. The job runs when a worker takes it:", "worker"),
            Code(
                "console",
                "$ tidepool work greetings\n12:00:01 greet('Ada') started\n12:00:01 greet('Ada') -> 'Hello, Ada!'\n^C",
            ),
            note("tip", "Add `--once` to end the worker when the queue is empty. Tests use it."),
            H(2, "What happened"),
            items(
                "`submit` wrote a row into the store and returned its id.",
                [
                    "The worker leased the row for thirty seconds.",
                    items(
                        "If it had crashed, the lease would have ended.",
                        "Another worker would have taken the job.",
                        [
                            "It would have run again, as the second of three attempts.",
                            items("After the third, it moves to the `failed` list."),
                        ],
                    ),
                ],
                "The result was stored and the lease released.",
            ),
            P(
                "The next thing to read is [how schedules work](@guide/scheduling), or [why jobs are retried](@guide/retries#backoff)."
            ),
        ],
    ),
    Page(
        "start/upgrading",
        "Upgrading from version three",
        [
            P("Version four renames two options and removes one. Everything else keeps working."),
            Code(
                "diff",
                '--- settings.toml\n+++ settings.toml\n@@ -1,6 +1,6 @@\n [worker]\n-threads = 4\n+parallelism = 4\n\n [store]\n-path = "jobs.db"\n+url = "sqlite:jobs.db"\n-vacuum = true',
            ),
            P("Run the migration once, with all workers stopped:"),
            Code("shell", "tidepool migrate --dry-run\ntidepool migrate"),
            note("danger", "There is no way back. Copy the database first.", title="Make a copy"),
        ],
    ),
    Page("guide/index", "Guides", [P("Each guide covers one topic and can be read alone."), Subpages()]),
    Page(
        "guide/scheduling",
        "Scheduling jobs",
        [
            P(
                "Most jobs run as soon as a worker is free. Others must wait: until a time, until another job is done, or until the next full hour. This guide describes the three ways to say so, what they cost, and how they behave when the machine was switched off at the moment the job was due."
            ),
            H(2, "Once, later"),
            P(
                "Pass a time or a duration. Times without a zone are read as UTC, because a queue is shared by machines that may disagree about the local time."
            ),
            Code(
                "python",
                'from datetime import timedelta\n\ngreet.submit("Grace", delay=timedelta(minutes=10))\ngreet.submit("Edsger", at="2027-01-01T00:00:00Z")',
            ),
            P(
                "A delayed job is a row like any other. It costs nothing while it waits: the worker asks the store for rows that are due, and the store has an index for that. A million delayed jobs make the query slower by less than a millisecond."
            ),
            H(2, "Repeatedly", "cron"),
            P("A schedule has a name, an expression and a job. The expression has five fields, as in `crontab`:"),
            Table(
                ["Field", "Values", "Example"],
                [
                    ["minute", "0 to 59", "`*/15`"],
                    ["hour", "0 to 23", "`9-17`"],
                    ["day of the month", "1 to 31", "`1,15`"],
                    ["month", "1 to 12 or names", "`jan-mar`"],
                    ["day of the week", "0 to 7 or names", "`mon-fri`"],
                ],
            ),
            Code(
                "toml",
                '[schedules.nightly]\nexpression = "30 2 * * *"\njob        = "reports.nightly"\n\n[schedules.nightly.arguments]\nformat = "pdf"\npages  = [1, 2, 3]',
            ),
            P(
                "The scheduler is part of the worker. If several workers run, one of them is elected and the others stand by; an election takes a second and needs no configuration. You can also run the scheduler alone, with `tidepool schedule`, which makes it easier to see what it does."
            ),
            note(
                "note",
                "Daylight saving time moves some local hours away. A schedule in a zone that skips 02:30 runs at 03:00 on that day, and once only when the hour is repeated.",
                P("Use UTC if this matters."),
            ),
            H(3, "Missed runs"),
            P(
                "When no scheduler was alive at the due time, the run is missed. The option `catch_up` decides what happens next: `none` forgets it, `one` runs it once however many were missed, and `all` runs every one of them in order. The default is `one`, since most jobs bring something up to date and need to do so only once.",
                "catch-up",
            ),
            H(3, "Jitter"),
            P(
                "Ten thousand schedules at midnight are a problem that you caused yourself. Set `jitter` to spread them: each schedule is moved by a constant amount derived from its name, so the same schedule always starts at the same second."
            ),
            H(2, "After another job"),
            P(
                "A job can wait for others. It starts when all of them are done, and fails without running if one of them failed for good:"
            ),
            Code(
                "python",
                "report = build.submit(after=[fetch.submit(url) for url in urls])\nmail.submit(report.id, after=report)",
            ),
            P(
                "Chains are cheap, but they are not a workflow engine: there are no branches and no loops. If you find yourself encoding conditions in the arguments of jobs, submit the next job from within the previous one instead. That is the simplest thing, and the log stays readable."
            ),
            P(
                "See [the class `Queue`](@reference/queue) for all parameters of `submit`, and [what a lease is](@help/glossary#lease) for what happens when a worker dies."
            ),
        ],
    ),
    Page(
        "guide/retries",
        "Retries and failures",
        [
            P(
                "A job that raises is tried again. How often, and after how long, depends on three numbers that you can set for a queue, a job or a single call."
            ),
            H(2, "Backoff", "backoff"),
            P(
                "The delay before attempt *n* is `base * factor ** (n - 1)`, at most `limit`, and varied by ten per cent. With the defaults the delays are:"
            ),
            Table(
                ["Attempt", "Delay", "Since the first"],
                [["2", "1 s", "1 s"], ["3", "4 s", "5 s"], ["4", "16 s", "21 s"], ["5", "64 s", "1 min 25 s"]],
            ),
            H(2, "Errors that are final"),
            P("Some errors will not go away. Raise `Abandon`, or list their types:"),
            Code(
                "python",
                '@job(queue, abandon_on=(ValueError, PermissionError))\ndef parse(document: bytes) -> dict:\n    try:\n        return json.loads(document)\n    except json.JSONDecodeError as error:\n        raise Abandon(f"not JSON: {error.msg} at {error.pos}") from error',
            ),
            note(
                "important",
                "An abandoned job is not lost. It is kept in the list of failures, with its arguments and the traceback, for thirty days.",
            ),
            H(2, "Idempotence"),
            P(
                "A job may run twice: a worker can finish it and crash before it says so. Write jobs so that the second run does no harm.[^twice] The usual means are:"
            ),
            items(
                "a key that the other side remembers, such as `Idempotency-Key`;",
                "`INSERT ... ON CONFLICT DO NOTHING`;",
                "a file written to a temporary name and then renamed.",
            ),
            H(2, "Watching failures"),
            Code(
                "console",
                "$ tidepool failures --queue mail --since 1d\n  id  job        attempts  error\n1041  mail.send         5  SMTPServerDisconnected: please run connect() first\n1187  mail.send         1  Abandon: no such user <nobody@example.org>\n\n$ tidepool retry 1041",
            ),
            P(
                "[The list of errors](@reference/errors) says which of our own errors are retried. More about numbers is in a classic article on [exponential backoff](https://en.wikipedia.org/wiki/Exponential_backoff).[^jitter]"
            ),
        ],
        {
            "twice": "At least once is what a queue can promise; exactly once needs help from the job.",
            "jitter": "It describes networks, but the reasoning is the same. See also [jitter](@guide/scheduling#jitter).",
        },
    ),
    Page(
        "guide/storage",
        "Choosing a store",
        [
            P("The store holds jobs, results and schedules. Three are included; all of them pass the same tests."),
            Table(
                ["Store", "URL", "Workers", "Jobs per second"],
                [
                    ["Memory", "`memory:`", "one process", "200,000"],
                    ["SQLite", "`sqlite:jobs.db`", "one machine", "9,000"],
                    ["PostgreSQL", "`postgres://host/name`", "any number", "4,500"],
                ],
            ),
            H(2, "SQLite"),
            P(
                "The default. It needs no server, survives power loss, and is fast enough for most: a job takes two writes of about 300 bytes."
            ),
            note(
                "caution",
                "Do not put the file on a network share. File locks of NFS and SMB are not reliable enough, and the database will be damaged sooner or later.",
            ),
            H(2, "PostgreSQL", "postgresql"),
            P(
                "Choose it when workers run on several machines. Tidepool uses `SELECT ... FOR UPDATE SKIP LOCKED` and `LISTEN`/`NOTIFY`, so workers neither wait for each other nor poll."
            ),
            Code(
                "sql",
                "SELECT id, job, arguments\nFROM jobs\nWHERE queue = $1 AND due <= now() AND leased_until < now()\nORDER BY priority DESC, id\nLIMIT 1\nFOR UPDATE SKIP LOCKED;",
            ),
            items(
                [
                    "Create a role and a database.",
                    Code("sql", "CREATE ROLE tidepool LOGIN;\nCREATE DATABASE jobs OWNER tidepool;"),
                ],
                [
                    "Set the URL. The password belongs in the environment:",
                    Code(
                        "shell",
                        "export TIDEPOOL_STORE_URL='postgres://tidepool@db.internal/jobs'\nexport PGPASSWORD=\"$(cat /run/secrets/db)\"",
                    ),
                ],
                "Run `tidepool migrate`.",
                ordered=True,
            ),
            H(2, "Your own"),
            P(
                "A store is a class with nine methods. The protocol `Store` names them, and `tidepool.testing.check_store` tests them:"
            ),
            Code(
                "python",
                "class RedisStore(Store):\n    async def lease(self, queue: str, seconds: float) -> Job | None:\n        ...\n\n    async def finish(self, job: Job, result: bytes) -> None:\n        ...",
            ),
        ],
    ),
    Page(
        "guide/deployment",
        "Deploying workers",
        [
            P("A worker is one process. Start as many as there are cores, on as many machines as you need."),
            H(2, "With systemd"),
            Code(
                "ini",
                "[Unit]\nDescription=Tidepool worker %i\nAfter=network-online.target\n\n[Service]\nExecStart=/opt/jobs/bin/tidepool work %i\nRestart=always\nKillSignal=SIGTERM\nTimeoutStopSec=120\n\n[Install]\nWantedBy=multi-user.target",
            ),
            P("On `SIGTERM` the worker takes no new jobs, finishes those it has, and ends. Give it time:", "sigterm"),
            Code("shell", "systemctl enable --now tidepool@mail.service\njournalctl -u 'tidepool@*' -f"),
            H(2, "With containers"),
            Code(
                "dockerfile",
                'FROM python:3.12-slim\nRUN pip install --no-cache-dir \'tidepool[postgres,metrics]==4.2.0\'\nCOPY jobs/ /app/jobs/\nWORKDIR /app\nENTRYPOINT ["tidepool", "work"]\nCMD ["default"]',
            ),
            Code(
                "yaml",
                'services:\n  worker:\n    image: example/worker:4.2\n    command: ["mail", "--parallelism", "8"]\n    environment:\n      TIDEPOOL_STORE_URL: postgres://tidepool@db/jobs\n    deploy:\n      replicas: 3',
            ),
            note("note", "Containers get ten seconds to stop unless you say otherwise. Set `stop_grace_period`."),
            H(2, "Behind a proxy"),
            P("The web console listens on port 8484. It has no accounts; put a proxy with accounts before it:"),
            Code(
                "nginx",
                "location /jobs/ {\n    auth_request /verify;\n    proxy_pass http://127.0.0.1:8484/;\n    proxy_set_header Host $host;\n}",
            ),
            Image("console.png", "The console with three queues, one of them paused"),
            P(
                "Counts and latencies are shown for the last hour. For longer spans, [export metrics](@guide/observability)."
            ),
        ],
    ),
    Page(
        "guide/concurrency",
        "Concurrency and order",
        [
            P(
                "Within a queue, jobs start in the order in which they were submitted. They finish in any order, because some take longer than others."
            ),
            H(2, "Keys"),
            P("Jobs with the same key never run at the same time, and they run in order:"),
            Code(
                "rust",
                'let queue = Queue::open("sqlite:jobs.db")?;\nfor order in orders {\n    queue.submit(&ship, &order).key(order.customer).now()?;\n}',
                hidden="use tidepool::Queue;\nfn example() -> Result<(), tidepool::Error> {",
            ),
            Code(
                "go",
                'q, err := tidepool.Open("sqlite:jobs.db")\nif err != nil {\n    return fmt.Errorf("open queue: %w", err)\n}\ndefer q.Close()\n\nfor _, order := range orders {\n    q.Submit(ship, order, tidepool.Key(order.Customer))\n}',
            ),
            P(
                "A key is any text of at most 255 bytes. Keys cost one index entry each while a job with that key waits or runs, and nothing afterwards."
            ),
            H(2, "Limits"),
            items(
                [
                    "Per worker: `parallelism`, by default the number of cores.",
                    items("Threads for jobs that wait.", 'Processes for jobs that compute: `executor = "process"`.'),
                ],
                [
                    "Per queue: `limit`, across all workers.",
                    items(
                        [
                            "As a number: at most so many at once.",
                            items("`limit = 1` makes the queue serial.", "`limit = 0` pauses it."),
                        ],
                        'As a rate: `limit = "100/min"`.',
                    ),
                ],
                "Per key: always one.",
            ),
            H(2, "Priorities"),
            P(
                "Priorities are numbers from 0 to 9, and 9 is most urgent. A job gains one for every minute that it waits, so that none waits for ever. Turn that off with `aging = false` if you would rather [starve](@help/glossary#starvation) than reorder."
            ),
        ],
    ),
    Page(
        "guide/observability",
        "Metrics and logs",
        [
            P(
                "Logs go to standard error, one line per event, as text or JSON. Metrics are served in the format of Prometheus."
            ),
            Code(
                "json",
                '{\n  "time": "2026-05-04T12:00:01.204Z",\n  "level": "info",\n  "event": "job.finished",\n  "job": {"id": 1041, "name": "mail.send", "attempt": 2},\n  "elapsed_ms": 318.4,\n  "tags": ["<none>", "a & b"]\n}',
            ),
            H(2, "Metrics"),
            Table(
                ["Name", "Kind", "Labels"],
                [
                    ["`tidepool_jobs_total`", "counter", "`queue`, `outcome`"],
                    ["`tidepool_job_seconds`", "histogram", "`queue`"],
                    ["`tidepool_waiting`", "gauge", "`queue`, `priority`"],
                    ["`tidepool_lease_lost_total`", "counter", "see [leases](@help/glossary#lease)"],
                ],
            ),
            P("Two alerts are enough to begin with: the oldest waiting job is too old, and leases are lost.", "alerts"),
            Code(
                "yaml",
                "- alert: JobsWaitTooLong\n  expr: max by (queue) (tidepool_oldest_seconds) > 600\n  for: 5m\n\n- alert: LeasesLost\n  expr: rate(tidepool_lease_lost_total[10m]) > 0",
            ),
            H(2, "Tracing"),
            P("With the extra `otel`, the context of the caller travels with the job, and the trace shows both."),
        ],
    ),
    Page(
        "guide/templates",
        "Templates in messages",
        [
            P(
                "Messages of jobs may contain markup such as `<b>` or `&amp;`, and placeholders in braces, `{{ name }}`. They are inserted literally unless you ask for escaping."
            ),
            Code(
                "html",
                '<!DOCTYPE html>\n<ul class="toc">\n  {% for job in jobs if job.state != "done" %}\n  <li id="job-{{ job.id }}">{{ job.name | escape }} &mdash; {{ job.attempts }} &lt; 5</li>\n\n  {% endfor %}\n</ul>',
            ),
            P(
                "The filter `escape` replaces `<`, `>`, `&` and the two quotes. To show a backtick in a message, double the delimiters: ``a ` b``."
            ),
            Code(
                "markdown",
                "# {{ title }}\n\nRun this:\n\n```sh\ntidepool work --once\n```\n\n- [ ] done\n  - [x] nested",
            ),
            Code("css", '.sidebar > nav a:not(.active)::before {\n    content: "\\2192";\n}'),
        ],
    ),
    Page("reference/index", "Reference", [Subpages()]),
    Page(
        "reference/queue",
        "The class Queue",
        [
            P("A named list of jobs in a store. Opening a queue that does not exist creates it."),
            Function(
                "Queue.submit",
                [
                    ("job", "Job", "", "The job to run, made by the decorator `job`."),
                    ("priority", "int", "0", "From 0 to 9. Jobs of higher priority start first."),
                    ("delay", "timedelta", "None", "How long to wait before the job is due."),
                ],
                "Handle",
                "Writes a job into the store and returns at once. The job runs when a worker takes it.",
                "a handle with the id of the job, on which you can wait.",
            ),
            Function(
                "Queue.pause",
                [("reason", "str", "''", "Shown in the console and in the log.")],
                "None",
                "Stops handing out jobs. Those that run are not interrupted.",
            ),
            Function(
                "Queue.count",
                [("state", "str", "'waiting'", "One of `waiting`, `running`, `done` and `failed`.")],
                "int",
                "Counts jobs in a state. The count is exact and costs one index scan.",
                "the number of jobs.",
            ),
            H(2, "Example"),
            Code(
                "python",
                'queue = Queue("mail", store="memory:")\nqueue.pause(reason="provider is down")\nassert queue.count("running") == 0',
            ),
        ],
    ),
    Page(
        "reference/worker",
        "The class Worker",
        [
            P(
                "Takes jobs from queues and runs them. Most programs start workers from the command line and never touch this class."
            ),
            Function(
                "Worker.run",
                [
                    ("once", "bool", "False", "Return when all queues are empty."),
                    ("timeout", "float", "None", "Return after so many seconds, even if jobs wait."),
                ],
                "Summary",
                "Runs jobs until it is stopped. Raises `StoreError` when the store cannot be reached for a minute.",
                "how many jobs were done, retried and abandoned.",
            ),
            Function(
                "Worker.stop",
                [],
                "None",
                "Asks the worker to stop after the jobs it has. Safe to call from a signal handler.",
            ),
            note(
                "warning", "Calling `stop` from within a job is allowed, but the job must return for it to take effect."
            ),
        ],
    ),
    Page(
        "reference/settings",
        "All settings",
        [
            P(
                "Settings are read from `settings.toml`, then from the environment, then from the command line. Later ones win."
            ),
            H(2, "Worker settings"),
            Table(
                ["Setting", "Default", "Meaning"],
                [
                    ["`worker.parallelism`", "cores", "Jobs at once. See [limits](@guide/concurrency#limits)."],
                    ["`worker.lease`", "`30s`", "How long a job belongs to a worker that shows no sign of life."],
                    ["`worker.executor`", '`"thread"`', '`"thread"`, `"process"` or `"async"`.'],
                    [
                        "`worker.shutdown`",
                        "`120s`",
                        "Time for running jobs after [SIGTERM](@guide/deployment#sigterm).",
                    ],
                ],
            ),
            H(2, "Store settings"),
            Table(
                ["Setting", "Default", "Meaning"],
                [
                    ["`store.url`", "`sqlite:jobs.db`", "Where jobs are kept. See [stores](@guide/storage)."],
                    [
                        "`store.keep`",
                        "`30d`",
                        'Age at which finished jobs are deleted; `0` keeps none, `"forever"` all.',
                    ],
                ],
            ),
            H(2, "Log settings"),
            Table(
                ["Setting", "Default", "Meaning"],
                [
                    ["`log.format`", '`"text"`', '`"text"` or `"json"`, separated by a pipe in older versions.'],
                    ["`log.level`", '`"info"`', "Less is more."],
                ],
            ),
        ],
    ),
    Page(
        "reference/cli",
        "The command line",
        [
            P("Every command takes `--settings FILE` and `--help`."),
            Code(
                "text",
                "usage: tidepool [--settings FILE] COMMAND ...\n\ncommands:\n  work QUEUE...     run jobs\n  schedule          run the scheduler alone\n  failures          list abandoned jobs\n  retry ID...       put failed jobs back\n  migrate           bring the store up to date",
            ),
            H(2, "Exit codes"),
            Definitions(
                [
                    ("`0`", "Everything was done."),
                    ("`1`", "A job failed for good, with `--once` only."),
                    ("`2`", "The arguments are wrong. The message names the argument."),
                    ("`75`", "The store cannot be reached; try again later."),
                ]
            ),
            H(2, "Environment"),
            Definitions(
                [
                    ("`TIDEPOOL_SETTINGS`", "The file with the settings."),
                    ("`TIDEPOOL_STORE_URL`", "Overrides [`store.url`](@reference/settings#store-settings)."),
                    ("`NO_COLOR`", "Any value turns colours off."),
                ]
            ),
        ],
    ),
    Page(
        "reference/errors",
        "Errors",
        [
            P("All errors derive from `TidepoolError`. The number stays the same in all versions."),
            H(2, "E101: lease lost", "e101"),
            P(
                "Another worker has taken the job, because this one did not renew its lease in time. Usually the process was suspended."
            ),
            H(2, "E102: unknown job", "e102"),
            P("The queue holds a job that this worker has not imported. Pass the module to `tidepool work --import`."),
            H(2, "E201: store unreachable", "e201"),
            P("Retried for a minute. Then the worker exits with [code 75](@reference/cli#exit-codes)."),
            H(2, "E301: arguments too large", "e301"),
            P("Arguments are limited to one mebibyte. Store the data elsewhere and pass its name."),
        ],
    ),
    Page(
        "reference/interface",
        "Pagination, modals and the sidebar",
        [
            P("The web console is made of a few parts. Each has a name that you can use in a style sheet.", "toc"),
            H(2, "Pagination", "pagination"),
            P(
                "Lists show fifty rows. The pagination below the list leads to the next fifty, and remembers the filter."
            ),
            H(2, "Modal dialogs", "modal"),
            P("Deleting a queue opens a modal dialog. It closes with *Escape* and never hides an error."),
            H(2, "Sidebar", "sidebar"),
            P(
                "The sidebar lists the queues. A queue with failures has a red dot, and its [table of contents](@#toc) moves to the top."
            ),
            H(2, "Breadcrumbs", "breadcrumb"),
            P(
                "The breadcrumb above the title leads back to the queue. There is no footer, no banner and no cookie notice."
            ),
            H(3, "Related menu", "related-menu"),
            items(
                "*Share* copies the address.",
                "*Print* opens the dialog for printing.",
                "*Subscribe* adds the queue to a feed.",
            ),
        ],
    ),
    Page("help/index", "Help", [P("If none of these pages helps, ask in the forum."), Subpages()]),
    Page(
        "help/faq",
        "Frequent questions",
        [
            Contents(),
            H(2, "Why does my job run twice?"),
            P(
                "Because a worker lost its lease. Raise `worker.lease`, or make the job [idempotent](@guide/retries#idempotence)."
            ),
            H(2, "Can I use it without a database?"),
            P("Yes, with the store `memory:`. Jobs are lost when the process ends."),
            H(2, "How do I cancel a job?"),
            P(
                "A waiting job: `queue.cancel(id)`. A running job cannot be cancelled from outside; it can ask whether it should stop:"
            ),
            Code(
                "python", "for chunk in chunks:\n    if current_job().is_cancelled:\n        return\n    write(chunk)"
            ),
            H(2, "Is there a limit on the number of queues?"),
            P("No. A queue costs one row."),
            H(2, "Does it work with PyPy?"),
            P("It does. The SQLite store is about a third slower there."),
        ],
    ),
    Page(
        "help/troubleshooting",
        "When nothing moves",
        [
            P("Work through this list from the top. Most problems are found by the second step."),
            items(
                ["Is a worker running?", Code("shell", "tidepool workers"), "If the list is empty, start one."],
                ["Does it serve the queue?", P("Names are case-sensitive: `Mail` is not `mail`.")],
                [
                    "Is the queue paused, or its limit `0`?",
                    note("tip", "`tidepool queues` marks paused queues with `||`."),
                ],
                "Are the clocks of the machines right? More than five seconds apart, [leases are lost](@reference/errors#e101).",
                ordered=True,
            ),
            note(
                "note",
                "Before you report a bug, collect what we need:",
                items("the version,", "the store,", "the last hundred lines of the log."),
                Code("shell", "tidepool report > report.txt"),
                title="Reporting a bug",
            ),
        ],
    ),
    Page(
        "help/glossary",
        "Glossary",
        [
            P("Words that have a special meaning here."),
            H(2, "Lease", "lease"),
            P("The right of a worker to run a job for a limited time. The worker renews it while the job runs."),
            H(2, "Starvation", "starvation"),
            P("What happens to jobs of low priority when those of high priority never end."),
            H(2, "Others"),
            Definitions(
                [
                    ("Handle", "What `submit` returns. It knows the id of the job and nothing else."),
                    ("Store", "Where jobs are kept; one of [three kinds](@guide/storage)."),
                    ("Worker", "A process that runs jobs."),
                ]
            ),
        ],
    ),
    Page(
        "help/changes",
        "Changes",
        [
            H(2, "4.2.0"),
            items(
                "Schedules may have jitter.",
                "`tidepool retry` takes several ids.",
                "Fixed: the worker leaked a file descriptor for each lost lease.",
            ),
            H(2, "4.1.0"),
            items("The console shows latencies."),
            H(2, "4.0.0"),
            items("Renamed options, see [upgrading](@start/upgrading)."),
        ],
    ),
    Page("help/licence", "Licence", [P("Tidepool may be used, changed and passed on by anyone for any purpose.")]),
    Page("help/credits", "Credits", [P("Thanks to the authors of SQLite.")]),
]
