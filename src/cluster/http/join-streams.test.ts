import { once } from "node:events";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { joinStreams } from "./join-streams.ts";

test("a connection whose other end is gone already ends, too", async () => {
  const [gone, open] = [new PassThrough(), new PassThrough()];
  gone.destroy();
  await once(gone, "close");
  joinStreams(gone, open);
  expect(open.destroyed).toBe(true);
});
