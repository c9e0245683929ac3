import type { Stages } from "./stage.ts";

/** Snippets of the cluster's README. */
export const clusterStages: Stages = {
  "cluster.restore(before);": {
    before: `import assert from "node:assert/strict";
`,
    after: `assert.ok(alice);
`,
  },
};
