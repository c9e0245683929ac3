import { readFile, writeFile } from "node:fs/promises";
import { formatLines } from "../support/format-lines.ts";

/**
 * The folders of stories with recorded outcomes, and the depth at which a file has a line for each value: for each answer
 * to a request, and for each object of a state that controllers lead to.
 */
const lineDepth = { conformance: 2, controllers: 4 } as const;

type Rig = keyof typeof lineDepth;

/** The recorded behaviour of a real server in the stories of a chapter, by the names of the stories. */
export async function readRecorded<Outcome>(rig: Rig, chapter: string): Promise<Record<string, Outcome[]>> {
  return JSON.parse(await readFile(fileOf(rig, chapter), "utf8")) as Record<string, Outcome[]>;
}

export async function writeRecorded(rig: Rig, chapter: string, stories: object): Promise<void> {
  await writeFile(fileOf(rig, chapter), formatLines(stories, lineDepth[rig]));
}

function fileOf(rig: Rig, chapter: string): URL {
  return new URL(`${rig}/recorded/${chapter}.json`, import.meta.url);
}
