import { expect, test } from "vitest";
import { createLogger } from "../log/logger.ts";
import { AddedSources } from "./controller.ts";
import type { Source } from "./source.ts";

test("a source that may run before the lease begins with the warm-up, any other with the start", () => {
  const started: string[] = [];
  const sources = new AddedSources<string>(createLogger({ write() {} }), ({ name }) =>
    Promise.resolve(void started.push(name)),
  );
  const source = (name: string, beforeLease?: boolean): Source<string> => ({
    name,
    start: () => {},
    ...(beforeLease === undefined ? {} : { beforeLease }),
  });
  sources.add(source("early", true));
  sources.add(source("late"));
  expect(started).toEqual([]);
  const { signal } = new AbortController();
  sources.warmUp(signal);
  sources.add(source("early, too", true));
  sources.add(source("late, too", false));
  expect(started).toEqual(["early", "early, too"]);
  sources.start(signal);
  expect(started).toEqual(["early", "early, too", "late", "late, too"]);
});
