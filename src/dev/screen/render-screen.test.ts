import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { TsbuilderError } from "../../shared/errors.ts";
import type { DevEvent, ShownObject } from "../dev-event.ts";
import { type RecordedSample, sampleOfEnd } from "../record/recorded-sample.ts";
import { renderScreen } from "./render-screen.ts";
import { afterEvent, afterMove, emptyScreen, type ScreenState } from "./screen-state.ts";

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
    ...emptyScreen("mysql-operator"),
    cluster: { url: "https://127.0.0.1:1", kubeconfig: "/p/kubeconfig" },
    note: "ready",
  };
  return events.reduce((state, event) => afterEvent(state, event, explain), started);
}

const draw = (state: ScreenState, columns = 60, rows = 16): string[] =>
  renderScreen(state, { columns, rows }).map(stripVTControlCharacters);

const shown = (state: ScreenState): string[] => draw(state).filter((line) => line !== "");

test("renderScreen() shows the cluster, objects with their conditions, the log, and the keys", () => {
  const ready = [{ type: "Ready", status: "False", reason: "Waiting" }];
  const line = '{"level":"info","ts":"2026-01-01T10:20:30.000Z","msg":"Made it","name":"a"}';
  expect(shown(after(object("b"), object("a", { conditions: ready }), { type: "operator", line }))).toEqual([
    "mysql-operator  https://127.0.0.1:1",
    "KUBECONFIG=/p/kubeconfig",
    "ready",
    "Objects",
    "> MySQL default/a  Ready=False (Waiting)",
    "  MySQL default/b  no conditions yet",
    "Operator",
    "10:20:30 info  Made it name=a",
    "q quit  s samples  d diff  o page  k shell  up/down select",
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
    draw(after({ type: "sample", sample: { ...sample, ...changes } }), 80);
  expect(numbers({})).toContain("queue 3  workers 1/5  cache 12 objects  memory 84 MB");
  expect(numbers({ blocked: 300 })).toContain(
    "queue 3  workers 1/5  cache 12 objects  blocked 300 ms  memory 84 MB",
  );
  expect(shown(after({ type: "sample", sample: sampleOfEnd(sample) }))).toEqual(shown(after()));
});

test("renderScreen() shows an error with its code frame until the next reload", () => {
  const state = after(broken);
  expect(shown(state)).toEqual(
    expect.arrayContaining(["error: it is broken", "  3 | foo: ;", "hint: fix it"]),
  );
  const mended = afterEvent(state, { type: "info", text: "reloaded" }, explain);
  expect(shown(mended).join("\n")).not.toContain("error:");
});

test("renderScreen() shows the last change of the selected object as a diff", () => {
  const state = after(object("a"), object("b", { before: undefined }));
  expect(shown({ ...state, isDiffShown: true })).toContain("MySQL b: made");
  expect(shown({ ...afterMove(state, -1), isDiffShown: true })).toEqual(
    expect.arrayContaining(["MySQL a: last change", " spec:", "-  replicas: 1", "+  replicas: 2"]),
  );
});

test("renderScreen() fits any size: as many lines as rows, none too wide, keys last", () => {
  const events = Array.from({ length: 50 }, (_, index) => object(`database-with-a-long-name-${index}`));
  const lines = Array.from({ length: 50 }, (): DevEvent => ({ type: "operator", line: "x".repeat(200) }));
  const state = after(...events, ...lines, broken);
  for (const isDiffShown of [false, true]) {
    for (const [columns, rows] of [
      [80, 24],
      [20, 5],
      [200, 60],
      [1, 1],
    ] as const) {
      const drawn = draw({ ...state, isDiffShown }, columns, rows);
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
    const state = { ...after(...events), chosen: `MySQL default ${name}` };
    expect(draw(state).join("\n")).toContain(`> MySQL default/${name}`);
  }
});

test("afterEvent() drops a deleted object and its selection", () => {
  const state = afterMove(after(object("a"), object("b")), -1);
  const gone = afterEvent(state, object("a", { isDeleted: true }), explain);
  expect(gone).toMatchObject({ chosen: undefined, lastChanged: "MySQL default b" });
  expect([...gone.objects.keys()]).toEqual(["MySQL default b"]);
});
