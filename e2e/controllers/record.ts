import { readFile, writeFile } from "node:fs/promises";
import { parse } from "yaml";
import type { Kubeconfig } from "../../src/cluster/auth/kubeconfig.ts";
import { chapters } from "./chapters.ts";
import { recordStory } from "./record-story.ts";

/** Records the outcomes of the stories on a control plane: `record.ts KUBECONFIG [chapter…]`. */
const [path, ...wanted] = process.argv.slice(2);
const kubeconfig = parse(await readFile(path!, "utf8")) as Kubeconfig;
for (const [chapter, stories] of Object.entries(chapters)) {
  if (wanted.length > 0 && !wanted.includes(chapter)) continue;
  const outcomes = await Promise.all(
    stories.map((story, index) => recordStory(kubeconfig, story, `${chapter}-${index}`)),
  );
  const recorded = Object.fromEntries(stories.map(({ name }, index) => [name, outcomes[index]]));
  const file = new URL(`recorded/${chapter}.json`, import.meta.url);
  await writeFile(file, `${JSON.stringify(recorded, null, 1)}\n`);
  console.log(`${chapter}: ${outcomes.flat().length} outcomes`);
}
