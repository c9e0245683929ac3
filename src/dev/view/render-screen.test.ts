import { stripVTControlCharacters, styleText } from "node:util";
import { expect, test } from "vitest";
import { TsbuilderError } from "../../shared/errors.ts";
import type { DevEvent, ShownObject } from "../dev-event.ts";
import { sampleOfEnd } from "../record/operator-messages.ts";
import type { RecordedReconcile, RecordedSample } from "../record/recorded.ts";
import { lineOfWrite } from "../record/record-line.ts";
import { OwnedObjects } from "./owned-objects.ts";
import { renderScreen } from "./render-screen.ts";
import { afterEvent, afterMove, afterToggle, emptyScreen, type ScreenState } from "./screen-state.ts";

const explain = (error: unknown): string => {
  const { message, hint } = error as TsbuilderError;
  return `error: ${message}\n  3 | foo: ;\nhint: ${hint}`;
};

const object = (name: string, more: Partial<ShownObject> = {}): DevEvent => ({
  type: "object",
  object: {
    kind: "MySQL",
    namespace: "default",
    name,
    uid: `uid-${name}`,
    isDeleted: false,
    conditions: [],
    now: "spec:\n  replicas: 2\n",
    before: "spec:\n  replicas: 1\n",
    ...more,
  },
});

const broken: DevEvent = {
  type: "error",
  error: new TsbuilderError("it is broken", { code: "INVALID_SOURCE", hint: "fix it" }),
};

function after(...events: DevEvent[]): ScreenState {
  const started: ScreenState = {
    ...emptyScreen("mysql-operator", "/p"),
    cluster: { url: "https://127.0.0.1:1", kubeconfig: "/p/kubeconfig", page: "http://127.0.0.1:2/#x" },
    note: "ready",
  };
  return events.reduce((state, event) => afterEvent(state, event, explain), started);
}

const draw = (state: ScreenState, columns = 90, rows = 20): string[] =>
  renderScreen(state, { columns, rows }).map(stripVTControlCharacters);

const shown = (state: ScreenState): string[] => draw(state).filter((line) => line !== "");

test("renderScreen() shows the cluster, objects with their conditions, the log, and the keys", () => {
  const ready = [{ type: "Ready", status: "False", reason: "Waiting" }];
  const line = '{"level":"info","ts":"2026-01-01T10:20:30.000Z","msg":"Made it","name":"a"}';
  expect(shown(after(object("b"), object("a", { conditions: ready }), { type: "operator", line }))).toEqual([
    "mysql-operator  https://127.0.0.1:1",
    "KUBECONFIG=/p/kubeconfig",
    "page http://127.0.0.1:2/#x",
    "ready",
    "Objects",
    "> ◐ MySQL default/a  Ready=False (Waiting)",
    "  ◐ MySQL default/b  no conditions yet",
    "Operator",
    "10:20:30 info  Made it name=a",
    "q quit  s samples  d diff  e errors  o page  k shell  ? help  up/down select",
  ]);
});

const sample: RecordedSample = {
  type: "sample",
  at: "2026-01-01T00:00:00.000Z",
  since: "2026-01-01T00:00:00.000Z",
  controllers: [
    { controller: "mysql", queued: 2, active: 1, workers: 1 },
    { controller: "backup", queued: 1, active: 0, workers: 4 },
  ],
  cached: { "MySQL.apps.example.com": 3, Pod: 9 },
  cachedBytes: 1000,
  blocked: 5,
  resident: 84 * 1024 * 1024,
  heap: 23 * 1024 * 1024,
  heapKept: undefined,
};

test("renderScreen() shows the operator's numbers while it runs", () => {
  const numbers = (changes: Partial<RecordedSample>) =>
    draw(after({ type: "sample", sample: { ...sample, ...changes } }, reconcile("a", "done")));
  expect(numbers({})).toContain("queue 3  workers 1/5  1 reconcile  cache 12 objects  memory 84 MB");
  expect(numbers({ blocked: 300 })).toContain(
    "queue 3  workers 1/5  1 reconcile  cache 12 objects  blocked 300 ms  memory 84 MB",
  );
  expect(shown(after({ type: "sample", sample: sampleOfEnd(sample) }))).toEqual(shown(after()));
});

test.each(["overview", "diff", "failures", "help"] as const)(
  "renderScreen() shows an error with its code frame above the %s until what failed begins anew",
  (view) => {
    const state = { ...after(broken), view };
    expect(shown(state)).toEqual(
      expect.arrayContaining(["error: it is broken", "  3 | foo: ;", "hint: fix it"]),
    );
    const told = afterEvent(state, { type: "info", text: "applied 1 sample" }, explain);
    expect(shown(told)).toContain("error: it is broken");
    for (const what of ["reload", "operator", "cluster"] as const)
      expect(shown(afterEvent(told, { type: "again", what }, explain)).join("\n")).not.toContain("error:");
  },
);

test("renderScreen() shows an operator's end also if it comes before the reload that started it is over", () => {
  const text = "src/main.ts: reloaded in 0.05 s";
  const state = after({ type: "again", what: "reload" }, { type: "again", what: "operator" }, broken, {
    type: "info",
    text,
  });
  expect(shown(state)).toEqual(expect.arrayContaining([text, "error: it is broken"]));
});

const stack = [
  "TypeError: no list",
  "    at nested (/p/src/controller/mysql_controller.ts:73:26)",
  "    at async x (/p/node_modules/y/z.js:1:2)",
].join("\n");

const failedLine: DevEvent = {
  type: "operator",
  line: JSON.stringify({
    level: "error",
    ts: "2026-01-01T10:20:30.000Z",
    msg: "Reconciler error",
    controller: "mysql",
    controllerGroup: "apps.example.com",
    controllerKind: "MySQL",
    MySQL: { name: "a", namespace: "default" },
    error: "no\nlist",
    retries: 3,
    stacktrace: stack,
  }),
};

function reconcile(name: string, outcome: RecordedReconcile["outcome"], error = "no list"): DevEvent {
  return {
    type: "reconcile",
    reconcile: {
      at: "2026-01-01T10:20:30.000Z",
      controller: "mysql",
      request: `default/${name}`,
      reconcileID: "1",
      causes: [],
      requests: [],
      outcome,
      ...(outcome === "error" && { error, stack }),
    },
  };
}

test.each([
  ["green", ["Available=True", "Degraded=False", "Progressing=False"]],
  ["red", ["Available=True", "Degraded=True"]],
  ["yellow", ["Available=True", "Reconciling=True"]],
  ["yellow", ["Ready=False"]],
] as const)("renderScreen() shows in %s how an object with %j stands", (color, states) => {
  const conditions = states.map((state) => {
    const [type = "", status = ""] = state.split("=");
    return { type, status };
  });
  const lines = renderScreen(after(object("a", { conditions })), { columns: 90, rows: 20 });
  const line = lines.find((text) => text.includes("MySQL default/a")) ?? "";
  expect(line).toBe(styleText(color, stripVTControlCharacters(line), { validateStream: false }));
});

test("renderScreen() shows the place of an error in the project, once, with how often it came", () => {
  expect(shown(after(failedLine, failedLine, failedLine)).slice(-3, -1)).toEqual([
    "10:20:30 3× error Reconciler error at src/controller/mysql_controller.ts:73:26 error=no",
    "  list controller=mysql retries=3",
  ]);
});

test("renderScreen() marks an object whose reconcile failed until one succeeds, and unfolds the stack", () => {
  const well = { conditions: [{ type: "Ready", status: "True" }] };
  const failing = after(
    object("a", well),
    object("b", well),
    object("a", { ...well, kind: "Backup" }),
    failedLine,
    reconcile("a", "error"),
    reconcile("a", "conflict"),
    reconcile("a", "error"),
    reconcile("b", "done"),
  );
  expect(shown(failing)).toEqual(
    expect.arrayContaining([
      "> ✓ Backup default/a  Ready=True",
      "  ✗ MySQL default/a  Ready=True  reconcile failed 2 times: no list",
      "  ✓ MySQL default/b  Ready=True",
    ]),
  );
  expect(draw(failing).at(-1)).toContain("e errors (1)");
  expect(shown(afterToggle(failing, "failures"))).toEqual(
    expect.arrayContaining([
      "mysql default/a: failed 2 times in a row, at 10:20:30",
      "TypeError: no list",
      "    at nested (src/controller/mysql_controller.ts:73:26)",
      "    … 1 of packages and Node",
    ]),
  );
  for (const over of [reconcile("a", "done"), { type: "again", what: "operator" } as const]) {
    const mended = afterEvent(failing, over, explain);
    expect(shown(mended)).toContain("  ✓ MySQL default/a  Ready=True");
    expect(shown(afterToggle(mended, "failures"))).toContain("The last reconcile of every object succeeded.");
  }
});

test("the view of failures moves from one to the next, since a screen may be too low for all", () => {
  const failing = afterToggle(after(reconcile("a", "error"), reconcile("b", "error")), "failures");
  expect(draw(failing).at(-1)).toContain("up/down the others");
  const names = (state: ScreenState) =>
    shown(state).flatMap((line) => /^mysql (\S+): failed/u.exec(line)?.[1] ?? []);
  expect(names(failing)).toEqual(["default/b", "default/a"]);
  const next = afterMove(failing, 1);
  expect(names(next)).toEqual(["default/a"]);
  expect(names(afterMove(next, 1))).toEqual(["default/a"]);
  expect(names(afterMove(next, -1))).toEqual(["default/b", "default/a"]);
});

test("renderScreen() unfolds the cause of an error, which its stack does not have, and says what next", () => {
  const failing = after(
    { type: "sample", sample },
    reconcile("a", "error", "no list: connect ECONNREFUSED 10.0.0.1:443"),
  );
  // The head of the view of objects would take rows from the failures.
  expect(shown(afterToggle(failing, "failures")).slice(0, 3)).toEqual([
    "mysql-operator  https://127.0.0.1:1",
    "ready",
    "mysql default/a: failed 1 time in a row, at 10:20:30",
  ]);
  const text = shown(afterToggle(failing, "failures")).join("\n");
  expect(text).toContain("no list: connect ECONNREFUSED 10.0.0.1:443\n");
  expect(text).toContain(
    "hint: Nothing listens at this address. Under dev the operator runs on this machine",
  );
});

test("renderScreen() continues a long note and a long error on the next lines", () => {
  const note = Array.from({ length: 40 }, (_, index) => `src/file-${index}.ts`).join(", ");
  const lines = shown(after({ type: "info", text: note }));
  expect(lines.join(" ").replaceAll(/ +/gu, " ")).toContain(note);
});

test("renderScreen() keeps lines that are no JSON, without escape sequences", () => {
  const line = "\u001B[2J\u001B[31mred\u001B[0m\u0007\ttext";
  expect(shown(after({ type: "operator", line }))).toContain("red  text");
});

test("renderScreen() explains its keys", () => {
  const help = shown(afterToggle(after(), "help"));
  const explained = help.join("\n");
  for (const key of ["q", "s", "d", "e", "o", "k"])
    expect(explained).toMatch(new RegExp(`^${key} {10}\\w`, "mu"));
  expect(help).toContain("The page: http://127.0.0.1:2/#x");
  expect(shown(afterToggle(afterToggle(after(), "help"), "help"))).toEqual(shown(after()));
});

test("renderScreen() shows the last change of the selected object as a diff", () => {
  const state = after(object("a"), object("b", { before: undefined }));
  expect(shown(afterToggle(state, "diff"))).toContain("MySQL b: made");
  expect(shown(afterToggle(afterMove(state, -1), "diff"))).toEqual(
    expect.arrayContaining(["MySQL a: last change", " spec:", "-  replicas: 1", "+  replicas: 2"]),
  );
});

test("renderScreen() fits any size: as many lines as rows, none too wide, keys last", () => {
  const events = Array.from({ length: 50 }, (_, index) => object(`database-with-a-long-name-${index}`));
  const lines = Array.from({ length: 50 }, (): DevEvent => ({ type: "operator", line: "x".repeat(200) }));
  const state = after(...events, ...lines, failedLine, reconcile("a", "error"), broken);
  for (const view of ["overview", "diff", "failures", "help"] as const) {
    for (const [columns, rows] of [
      [80, 24],
      [20, 5],
      [200, 60],
      [1, 1],
    ] as const) {
      const drawn = draw({ ...state, view }, columns, rows);
      expect(drawn).toHaveLength(rows);
      for (const line of drawn) expect(line.length).toBeLessThanOrEqual(columns);
      expect(drawn.at(-1)).toMatch(/^(…|q)/);
    }
  }
});

test("renderScreen() keeps the selected object visible among many", () => {
  const events = Array.from({ length: 30 }, (_, index) => object(`db-${String(index).padStart(2, "0")}`));
  for (const chosen of [0, 15, 29]) {
    const name = `db-${String(chosen).padStart(2, "0")}`;
    const state = { ...after(...events), selected: `MySQL default ${name}` };
    expect(draw(state).join("\n")).toContain(`> ◐ MySQL default/${name}`);
  }
});

test("afterEvent() drops a deleted object and its selection", () => {
  const state = afterMove(after(object("a"), object("b")), -1);
  const gone = afterEvent(state, object("a", { isDeleted: true }), explain);
  expect(gone).toMatchObject({ selected: undefined, lastChanged: "MySQL default b" });
  expect([...gone.objects.keys()]).toEqual(["MySQL default b"]);
});

test("renderScreen() tells which reconcile runs, and which ran last and how often in a row", () => {
  const line = '{"level":"info","msg":"x","controller":"mysql","controllerKind":"MySQL"}';
  const began = (name: string): DevEvent => ({
    type: "began",
    reconcile: { controller: "mysql", request: `default/${name}`, reconcileID: "1" },
  });
  const running = after(object("a"), { type: "operator", line }, began("a"));
  expect(shown(running)).toContain("↻ mysql reconciles default/a");
  expect(shown(running)).toContain("> ↻ MySQL default/a  no conditions yet");
  const ended = [reconcile("a", "done"), began("a"), reconcile("a", "error")].reduce(
    (state, event) => afterEvent(state, event, explain),
    running,
  );
  expect(shown(ended)).toContain("· 10:20:30 mysql reconciled default/a in 0 ms: failed, 2 times in a row");
  expect(shown(ended)).toContain("> ✗ MySQL default/a  no conditions yet  reconcile failed 1 time: no list");
  const restarted = afterEvent(running, { type: "again", what: "operator" }, explain);
  expect(shown(restarted).join()).not.toContain("↻");
});

test("renderScreen() says of an operator in another language what its requests tell", () => {
  const ended = reconcile("a", "done") as Extract<DevEvent, { type: "reconcile" }>;
  const grouped = { ...ended.reconcile, groupedBy: "time" as const };
  const state = after(object("a"), { type: "began", reconcile: grouped }, { ...ended, reconcile: grouped });
  expect(shown(state)).toContain("· 10:20:30 mysql default/a: 0 requests in 0 ms, by their time: done");
});

test("renderScreen() shows the dependents of the marked object below it, the unready first if there is no room", () => {
  const owned = new OwnedObjects(() => undefined);
  const write = (type: "ADDED" | "DELETED", kind: string, name: string, owner: string, status = {}): void => {
    const metadata = {
      name,
      uid: `uid-${name}`,
      ownerReferences: [{ uid: `uid-${owner}`, controller: true }],
    };
    const bytes = Buffer.from(JSON.stringify({ apiVersion: "v1", kind, metadata, status }));
    owned.add(lineOfWrite("", { type, resource: kind, key: `default/${name}`, by: undefined, bytes }));
  };
  write("ADDED", "ConfigMap", "a", "b");
  write("ADDED", "Pod", "a-0-x", "a-0", { phase: "Failed" });
  write("ADDED", "ReplicaSet", "a-0", "a");
  write("ADDED", "EndpointSlice", "a-1", "a");
  const state = { ...after(object("b"), object("a")), owned };
  expect(shown(state).slice(5, -1)).toEqual([
    "> ◐ MySQL default/a  no conditions yet",
    "    · ReplicaSet a-0",
    "      ✗ Pod a-0-x  it has failed",
    "  ◐ MySQL default/b  no conditions yet",
  ]);
  for (let index = 0; index < 9; index++) write("ADDED", "ReplicaSet", `a-00${index}`, "a");
  const many = shown(state).join("\n");
  expect(many).toContain("      ✗ Pod a-0-x  it has failed");
  expect(many).toContain("    … and 7 more");
  const crowded = { ...after(...["b", "c", "d", "e", "f"].map((name) => object(name)), object("a")), owned };
  expect(shown(crowded).filter((line) => line.includes("MySQL"))).toHaveLength(4);
  for (let rows = 10; rows <= 20; rows++)
    expect(draw(state, 90, rows).join("\n"), `${rows} rows`).toContain("> ◐ MySQL default/a");
  write("DELETED", "Pod", "a-0-x", "a-0");
  expect(shown(state).join("\n")).not.toContain("Pod");
});

test("renderScreen() names probable mistakes in the head, and unfolds what to do", () => {
  const finding = { kind: "fight", from: 1, at: 2, places: [], requests: [] } as const;
  const found = after({
    type: "findings",
    findings: [
      { ...finding, title: "ann and mysql fight", text: "let only one of them set it" },
      { ...finding, kind: "retry loop", title: "mysql fails", text: "with its stack elsewhere" },
    ],
  });
  expect(shown(found)).toContain("! ann and mysql fight");
  expect(shown(found).join("\n")).not.toContain("mysql fails");
  expect(draw(found).at(-1)).toContain("e errors (1)");
  expect(shown(afterToggle(found, "failures"))).toEqual(
    expect.arrayContaining(["! ann and mysql fight", "  let only one of them set it"]),
  );
  expect(shown(afterEvent(found, { type: "findings", findings: [] }, explain)).join()).not.toContain("fight");
});
