import { expect, test } from "vitest";
import { emptyProject } from "../../e2e/support/projects/empty-project.ts";
import { Draft, memoryTree } from "../scaffold/tree.ts";
import { planChart } from "./plan-chart.ts";

const manager = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "shop-controller-manager", namespace: "shop-system" },
  spec: { template: { spec: { containers: [{ name: "manager", image: "controller" }] } } },
};
const workflowFile = ".github/workflows/test-chart.yml";

interface Case {
  readonly before?: Readonly<Record<string, string>>;
  readonly force?: boolean;
  readonly workflow?: boolean;
  readonly isIgnored?: boolean;
}

function plan({ before = {}, force = false, workflow = false, isIgnored = false }: Case): {
  draft: Draft;
  notes: string[];
} {
  const files = memoryTree(before);
  const draft = new Draft(files);
  const notes = planChart(draft, {
    project: emptyProject,
    objects: [manager],
    folder: "dist/chart",
    files,
    version: "1.0.0",
    force,
    workflow,
    isIgnored,
    isImageGiven: false,
  });
  return { draft, notes };
}

test("a chart that git ignores gets no workflow, which tests the committed one", () => {
  const { draft, notes } = plan({ isIgnored: true });
  expect(draft.has("dist/chart/Chart.yaml")).toBe(true);
  expect(draft.has(workflowFile)).toBe(false);
  expect(notes).toEqual([
    `"${workflowFile}" was not written: it tests the committed chart, but git ignores "dist/chart"`,
  ]);
});

test("of a chart without its workflow nothing is said", () => {
  const { draft, notes } = plan({ before: { "dist/chart/Chart.yaml": "" }, isIgnored: true });
  expect(draft.has(workflowFile)).toBe(false);
  expect(notes).toEqual([]);
});

test("a project that has a chart gets the workflow anew when it is asked for, and keeps its values", () => {
  const before = { "dist/chart/Chart.yaml": "# mine\n", [workflowFile]: "# old\n" };
  expect(plan({ before }).draft.read(workflowFile)).toBe("# old\n");
  const { draft } = plan({ before, workflow: true });
  expect(draft.read(workflowFile)).toBe(plan({}).draft.read(workflowFile));
  expect(draft.read("dist/chart/Chart.yaml")).toBe("# mine\n");
});
