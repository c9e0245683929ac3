import type { Stages } from "./stage.ts";

/** Snippets of the cluster's README, and of its pages in the book. */
export const clusterStages: Stages = {
  "cluster.restore(before);": {
    before: `import assert from "node:assert/strict";
`,
    after: `assert.ok(alice);
`,
  },
  "cluster.restore(empty);": {
    before: `import assert from "node:assert/strict";
`,
    after: `assert.ok(developer);
`,
  },
};
