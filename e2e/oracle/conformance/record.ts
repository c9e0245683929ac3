import { readFile, writeFile } from "node:fs/promises";
import { parse } from "yaml";
import type { Kubeconfig } from "../../../src/cluster/auth/kubeconfig.ts";
import { formatLines } from "../../support/format-lines.ts";
import { chapters } from "./chapters.ts";
import { runStory } from "./run-story.ts";

/** Records the answers of the server of a kubeconfig: `record.ts KUBECONFIG [chapter…]`. */
const [path, ...wanted] = process.argv.slice(2);
const kubeconfig = parse(await readFile(path!, "utf8")) as Kubeconfig;
for (const [chapter, stories] of Object.entries(chapters)) {
  if (wanted.length > 0 && !wanted.includes(chapter)) continue;
  const recorded: Record<string, unknown> = {};
  for (const [index, story] of stories.entries()) {
    const id = `${chapter.replace(/\W/g, "")}${index}-${Date.now().toString(36)}`;
    recorded[story.name] = await runStory({ kubeconfig }, story, id);
  }
  const file = new URL(`recorded/${chapter}.json`, import.meta.url);
  await writeFile(file, formatLines(recorded, 2));
  console.log(`${chapter}: ${stories.reduce((sum, { steps }) => sum + steps.length, 0)} answers`);
}
