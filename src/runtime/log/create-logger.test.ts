import { describe, expect, test, vi } from "vitest";
import { FakeClock } from "@tsbuilder/apimachinery/time";
import { ApiError } from "../errors/api-error.ts";
import { type LoggerOptions, type PinoLike, createLogger, loggerFromPino } from "./logger.ts";
import { runInScope } from "../scope/scope.ts";

function makeLogger(options: Parameters<typeof createLogger>[0] = {}) {
  const lines: string[] = [];
  const log = createLogger({ clock: new FakeClock(), write: (line) => void lines.push(line), ...options });
  return { log, lines, parsed: () => lines.map((line) => JSON.parse(line) as { [name: string]: unknown }) };
}

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

describe("createLogger()", () => {
  test("a line is JSON: level, time and message, then the logger's fields, the scope's, and its own", () => {
    const { log, lines } = makeLogger();
    runInScope({ logFields: () => ({ name: "db", reconcileID: "1" }) }, () =>
      log.with({ controller: "mysql" }).info("Made it", { ready: 3 }),
    );
    expect(lines).toEqual([
      '{"level":"info","ts":"2024-01-01T00:00:00.000Z","msg":"Made it","controller":"mysql","name":"db","reconcileID":"1","ready":3}\n',
    ]);
  });

  test("the level can be changed while loggers made from it are in use", () => {
    const { log, parsed } = makeLogger();
    const child = log.with({ child: true });
    child.debug("hidden");
    log.level = "debug";
    child.debug("shown");
    log.level = "error";
    child.warn("hidden");
    expect(parsed().map(({ msg }) => msg)).toEqual(["shown"]);
    expect(child.isEnabled("warn")).toBe(false);
  });

  test("objects are logged by name only, so that no Secret gets into a log", () => {
    const { log, lines, parsed } = makeLogger();
    const secret = {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "s", namespace: "default", managedFields: [] },
      data: { password: "aHVudGVyMg==" },
    };
    log.info("Read", { secret, nested: { list: [secret] } });
    expect(lines[0]).not.toContain("aHVudGVyMg");
    expect(parsed()[0]?.["secret"]).toEqual({
      apiVersion: "v1",
      kind: "Secret",
      namespace: "default",
      name: "s",
    });
  });

  test("an error has its message, its causes, and its stack if it is the field error", () => {
    const { log, parsed } = makeLogger();
    const error = new Error("outer", {
      cause: new AggregateError([new Error("a"), new Error("b")], "inner"),
    });
    log.error("Failed", { error });
    log.info("Failed", { error });
    expect(parsed()[0]).toMatchObject({ error: "outer: inner: [a; b]" });
    expect(parsed()[0]?.["stacktrace"]).toContain("create-logger.test.ts");
    expect(parsed()[1]).not.toHaveProperty("stacktrace");
  });

  test("no value can break a line: cycles, big numbers, functions, fields with reserved names", () => {
    const { log, parsed } = makeLogger();
    const cyclic: { self?: unknown } = {};
    cyclic.self = cyclic;
    log.info("Odd", {
      cyclic,
      big: 10n,
      sign: Symbol("s"),
      call: () => {},
      date: new Date(NaN),
      msg: "mine",
      map: new Map([[1, 2]]),
    });
    expect(parsed()[0]).toMatchObject({
      msg: "Odd",
      msg_: "mine",
      big: "10",
      date: "Invalid Date",
      map: [[1, 2]],
    });
  });

  test.for([
    ["a circle of causes", () => Object.assign(new Error("a"), { cause: new Error("b") })],
    ["an error in itself", () => new AggregateError([], "a")],
  ] as const)("an error that holds %s is written once", ([, make]) => {
    const { log, parsed } = makeLogger();
    const error = make();
    if (error instanceof AggregateError) error.errors.push(error);
    else error.cause.cause = error;
    log.error("Failed", { error });
    expect(parsed()[0]?.["error"]).toBe(error instanceof AggregateError ? "a: [[shown already]]" : "a: b");
  });

  test.for([
    ["a message that is not text", Object.assign(new Error("x"), { message: { a: 1 } })],
    [
      "a message that can't be read",
      Object.defineProperty(new Error("x"), "message", {
        get() {
          throw new Error("no");
        },
      }),
    ],
    ["a stack that is not text", Object.assign(new Error("x"), { stack: 5 })],
    ["a proxy that was revoked", revoked()],
  ] as const)("a line is written for %s", ([, error]) => {
    const { log, parsed } = makeLogger();
    log.error("Failed", { error, count: 1 });
    log.error("Failed", {
      get count(): number {
        throw new Error("no");
      },
    });
    expect(parsed()[0]).toMatchObject({ msg: "Failed", count: 1 });
    expect(parsed()[1]).toMatchObject({ msg: "Failed", unprintable: "no" });
  });

  test("the console encoder writes text, with the stack below it", () => {
    const { log, lines } = makeLogger({ encoder: "console" });
    log.warn("Careful", { count: 1 });
    log.error("Broken", { error: new Error("why") });
    expect(lines[0]).toBe('2024-01-01T00:00:00.000Z\tWARN\tCareful\t{"count":1}\n');
    expect(lines[1]).toMatch(/^.*\tERROR\tBroken\t\{"error":"why"\}\nError: why\n {4}at /);
  });

  test("the console encoder writes what a terminal would obey as escapes, in messages, fields and stacks", () => {
    const { log, lines } = makeLogger({ encoder: "console" });
    const obeyed = "\u001b]0;owned\u0007 \u009b2J \u202e";
    const shown = "\\u001b]0;owned\\u0007 \\u009b2J \\u202e";
    log.error(`a\tb ${obeyed}`, {
      field: "\u009b2J",
      error: Object.assign(new Error("why"), { stack: `Error: ${obeyed}\n    at x` }),
    });
    expect(lines).toEqual([
      `2024-01-01T00:00:00.000Z\tERROR\ta\tb ${shown}\t{"field":"\\u009b2J","error":"why"}\nError: ${shown}\n    at x\n`,
    ]);
  });

  test.each<[boolean | undefined, LoggerOptions, RegExp]>([
    [true, {}, /^\S+\tINFO\tSaid\n$/],
    [undefined, {}, /^\{"level":"info"/],
    [true, { encoder: "json" }, /^\{"level":"info"/],
  ])("standard error that is a terminal (%s) gets text by default: %j", (isTTY, options, line) => {
    const before = Object.getOwnPropertyDescriptor(process.stderr, "isTTY");
    Object.defineProperty(process.stderr, "isTTY", { value: isTTY, configurable: true });
    const written = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    try {
      createLogger(options).info("Said");
      expect(written.mock.calls[0]?.[0]).toMatch(line);
    } finally {
      written.mockRestore();
      if (before) Object.defineProperty(process.stderr, "isTTY", before);
      else delete (process.stderr as Partial<typeof process.stderr>).isTTY;
    }
  });

  test("a request that RBAC forbids is logged with the marker that allows it", () => {
    const { log, parsed } = makeLogger();
    const message =
      'pods is forbidden: User "a" cannot list resource "pods" in API group "" at the cluster scope';
    const error = new ApiError({ code: 403, reason: "Forbidden", message });
    log.warn("Failed", { error });
    log.warn("Failed", { error, hint: "mine" });
    log.warn("Failed", {
      error: new ApiError({ code: 403, reason: "Forbidden", message: "a webhook said no" }),
    });
    const marker = '// +kubebuilder:rbac:groups="",resources=pods,verbs=get;list;watch';
    expect(parsed().map(({ hint }) => hint)).toEqual([
      `to allow it, add a marker to the controller: ${marker}`,
      "mine",
      undefined,
    ]);
  });
});

test("loggerFromPino() passes lines to a pino instance, with errors in pino's field", () => {
  const written: unknown[] = [];
  const make = (bindings: object): PinoLike => {
    const write = (level: string) => (fields: object, message: string) =>
      void written.push([level, message, { ...bindings, ...fields }]);
    return {
      debug: write("debug"),
      info: write("info"),
      warn: write("warn"),
      error: write("error"),
      child: (more) => make({ ...bindings, ...more }),
      isLevelEnabled: (level) => level !== "debug",
    };
  };
  const log = loggerFromPino(make({})).with({ controller: "c" });
  const error = new Error("x");
  runInScope({ logFields: () => ({ name: "db" }) }, () => log.error("Failed", { error, n: 1 }));
  expect(written).toEqual([["error", "Failed", { controller: "c", name: "db", n: 1, err: error }]]);
  expect(log.isEnabled("debug")).toBe(false);
});
