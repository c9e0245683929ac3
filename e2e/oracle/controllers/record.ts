import { readFile, writeFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { parse } from "yaml";
import type { Kubeconfig } from "../../../src/cluster/auth/kubeconfig.ts";
import { send } from "../../../src/cluster/testing/send.ts";
import { formatLines } from "../../support/format-lines.ts";
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
  if (chapter !== "scheduling") await Promise.all(stories.map(record));
  else {
    // A scheduler sees the nodes and the pods of all stories.
    for (const [index, story] of stories.entries()) {
      await record(story, index);
      await removeTraces(`${chapter}-${index}`);
    }
  }
  const recorded = Object.fromEntries(stories.map(({ name }, index) => [name, outcomes[index]]));
  const file = new URL(`recorded/${chapter}.json`, import.meta.url);
  // A line for each object of a state.
  await writeFile(file, formatLines(recorded, 4));
  console.log(`${chapter}: ${outcomes.flat().length} outcomes`);
}

/** Resolves when the nodes and the namespace of a story are gone. */
async function removeTraces(story: string): Promise<void> {
  for (const path of ["/api/v1/nodes", "/api/v1/namespaces"]) {
    for (;;) {
      const { body } = await send(kubeconfig, { method: "GET", path });
      const { items } = body as { items: { metadata: { name: string } }[] };
      const names = items.map(({ metadata }) => metadata.name).filter((name) => name.startsWith(story));
      if (names.length === 0) break;
      for (const name of names) await send(kubeconfig, { method: "DELETE", path: `${path}/${name}` });
      await delay(250);
    }
  }
}
