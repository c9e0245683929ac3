import type { Kubeconfig } from "../../src/cluster/kubeconfig.ts";
import { type MaskedAnswer } from "./mask-answer.ts";
import type { Story } from "./story.ts";
/** Runs a story on a server and gives its masked answers. */
export declare function runStory(kubeconfig: Kubeconfig, story: Story, id: string): Promise<MaskedAnswer[]>;
