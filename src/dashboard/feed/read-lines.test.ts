import * as fc from "fast-check";
import { expect, test } from "vitest";
import { readLines } from "./feed.ts";

test("lines come out whole, wherever the stream is cut", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ unit: "grapheme" })),
      fc.infiniteStream(fc.integer({ min: 1, max: 5 })),
      async (texts, sizes) => {
        const lines = texts.map((text) => text.replaceAll("\n", " "));
        const bytes = new TextEncoder().encode(lines.map((line) => `${line}\n`).join("") + "not ended");
        const parts: Uint8Array[] = [];
        for (let at = 0; at < bytes.length;) {
          const size = sizes.next().value;
          parts.push(bytes.subarray(at, at + size));
          at += size;
        }
        const stream = new ReadableStream<Uint8Array>({
          start(controller) {
            for (const part of parts) controller.enqueue(part);
            controller.close();
          },
        });
        const read: string[] = [];
        for await (const line of readLines(stream)) read.push(line);
        expect(read).toEqual(lines);
      },
    ),
  );
});
