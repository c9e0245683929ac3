import { expect, test, vi } from "vitest";
import { type Logger, guardLogger } from "./logger.ts";

const broken = (): never => {
  throw new Error("broken");
};
const logger: Logger = {
  debug: broken,
  info: broken,
  warn: broken,
  error: broken,
  with: broken,
  isEnabled: broken,
};

test.each<[string, (guarded: Logger) => unknown]>([
  ["a line", (guarded) => guarded.info("said", { by: "a test" })],
  ["a logger with fields", (guarded) => guarded.with({ by: "a test" })],
  ["a level", (guarded) => guarded.isEnabled("debug")],
])("a logger that fails at %s is told of once, and throws nothing", (_, use) => {
  const written = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  let errors = 0;
  const guarded = guardLogger(logger, () => errors++);
  try {
    use(guarded);
    expect(errors).toBe(1);
  } finally {
    written.mockRestore();
  }
});

test("what a broken logger did not write is written to standard error", () => {
  const lines: string[] = [];
  const written = vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    lines.push(String(text));
    return true;
  });
  try {
    const guarded = guardLogger(logger, () => {});
    guarded.warn("first", { at: 1 });
    guarded.with({ at: 2 }).error("second");
  } finally {
    written.mockRestore();
  }
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { level: "warn", msg: "first", at: 1 },
    { level: "error", msg: "second", at: 2 },
  ]);
});
