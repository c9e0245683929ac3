import type { Kubeconfig } from "../../src/cluster/kubeconfig.ts";
import type { MaskedAnswer } from "./mask-answer.ts";
/** One answer that is not as recorded. */
export interface Difference {
    readonly story: string;
    readonly step: number;
    readonly request: string;
    readonly expected: unknown;
    readonly actual: unknown;
}
/** The recorded answers of a real server, by story. */
export declare function recordedAnswers(chapter: string): Promise<Record<string, MaskedAnswer[]>>;
/** Runs a chapter on a server and gives every answer that differs from the recorded one. */
export declare function compareChapter(kubeconfig: Kubeconfig, chapter: string): Promise<Difference[]>;
