import type { ReceivedResponse } from "../../src/cluster/testing/send.ts";
/** An answer without what differs from run to run. */
export interface MaskedAnswer {
    readonly code: number;
    readonly type: string;
    readonly warnings?: readonly string[];
    /** A JSON value, the lines of a watch, or text. */
    readonly body: unknown;
}
/** Replaces names, ids, times and revisions by fixed words. */
export declare function maskAnswer(answer: ReceivedResponse, names: {
    ns: string;
    group: string;
}): MaskedAnswer;
