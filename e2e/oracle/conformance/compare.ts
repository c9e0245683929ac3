import { isDeepStrictEqual } from "node:util";
import { readRecorded } from "../recorded.ts";
import { chapters } from "./chapters.ts";
import type { MaskedAnswer } from "./mask-answer.ts";
import { runStory, type Server } from "./run-story.ts";

/** An answer that differs from the recorded one. */
export interface Difference {
  readonly story: string;
  readonly step: number;
  readonly request: string;
  readonly expected: unknown;
  readonly actual: unknown;
}

/** Runs a chapter on a server and returns every answer that differs from the recorded one. */
export async function compareChapter(server: Server, chapter: string): Promise<Difference[]> {
  const recorded = await readRecorded<MaskedAnswer>("conformance", chapter);
  const differences: Difference[] = [];
  for (const [index, story] of chapters[chapter]!.entries()) {
    const id = `${chapter.replace(/\W/g, "")}${index}`;
    const answers = await runStory(server, story, id);
    for (const [step, actual] of answers.entries()) {
      const expected = recorded[story.name]?.[step];
      if (isDeepStrictEqual(actual, expected)) continue;
      const { method, path } = story.steps[step]!;
      differences.push({ story: story.name, step: step + 1, request: `${method} ${path}`, expected, actual });
    }
  }
  return differences;
}
