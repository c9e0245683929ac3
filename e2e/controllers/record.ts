import { readFile, writeFile } from "node:fs/promises";
import { parse } from "yaml";
import type { Kubeconfig } from "../../src/cluster/auth/kubeconfig.ts";
import { chapters } from "./chapters.ts";
import { recordStory } from "./record-story.ts";
import type { Outcome, Story } from "./story.ts";

/** Records the outcomes of the stories on a control plane: `record.ts KUBECONFIG [chapter…]`; `scheduling` needs a kube-scheduler. */
const [path, ...wanted] = process.argv.slice(2);
const kubeconfig = parse(await readFile(path!, "utf8")) as Kubeconfig;
for (const [chapter, stories] of Object.entries(chapters)) {
  if (wanted.length > 0 && !wanted.includes(chapter)) continue;
  const outcomes: Outcome[][] = [];
  const record = async (story: Story, index: number): Promise<void> => {
    outcomes[index] = await recordStory(kubeconfig, story, `${chapter}-${index}`);
  };
  // A scheduler sees the nodes of all stories.
  if (chapter === "scheduling") for (const [index, story] of stories.entries()) await record(story, index);
  else await Promise.all(stories.map(record));
  const recorded = Object.fromEntries(stories.map(({ name }, index) => [name, outcomes[index]]));
  const file = new URL(`recorded/${chapter}.json`, import.meta.url);
  await writeFile(file, `${JSON.stringify(recorded, null, 1)}\n`);
  console.log(`${chapter}: ${outcomes.flat().length} outcomes`);
}
