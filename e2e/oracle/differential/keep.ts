import { readFile, writeFile } from "node:fs/promises";
import type { MaskedAnswer } from "../conformance/mask-answer.ts";
import type { Story } from "../conformance/story.ts";
import { readRecorded, writeRecorded } from "../recorded.ts";
import { foundFile } from "../conformance/stories/found.ts";
import { formatLines } from "../../support/format-lines.ts";
import { classify } from "./classify.ts";
import { compareStory, type Servers } from "./compare-servers.ts";
import type { DifferenceClass } from "./run.ts";
import { runReady } from "./run-ready.ts";
import { shrink } from "./shrink.ts";

/** How many stories ran in this process: each has a namespace of its own. */
let shrunk = 0;

/** Shrinks the story of a class, and adds it with the real server's answers to the chapter `found`. */
export async function keep(servers: Servers, { name, example }: DifferenceClass): Promise<Story> {
  const isShown = async (story: Story): Promise<boolean> => {
    const { difference } = await compareStory(servers, story, `shrink-${(shrunk += 1)}`);
    return difference !== undefined && classify(difference) === name;
  };
  const { story, index } = example;
  const shortest = await shrink({ ...story, steps: story.steps.slice(0, index + 1) }, isShown);
  const kept = { ...shortest, name };
  const expected = await runReady(servers.real, kept, `kept-${(shrunk += 1)}`);
  if (!expected)
    throw new Error(`"${name}" is not kept: the real server answers 503 whenever its story runs`);
  const stories = JSON.parse(await readFile(foundFile, "utf8")) as Story[];
  const others = stories.filter((each) => each.name !== name);
  await writeFile(foundFile, formatLines([...others, kept], 3));
  const answers = await readRecorded<MaskedAnswer>("conformance", "found");
  await writeRecorded("conformance", "found", { ...answers, [name]: expected });
  return kept;
}
