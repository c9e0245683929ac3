import { readFileSync } from "node:fs";
import { join } from "node:path";
import { hasWebhooks, qualifiedGroup } from "../../project/project.ts";
import { applyPlan } from "../../scaffold/apply.ts";
import { Draft, diskTree } from "../../scaffold/tree.ts";
import { defineCommand } from "../command.ts";
import { openProject } from "../open-project.ts";
import { planGenerated } from "../plan-generated.ts";
import { describeError } from "../report.ts";
import { endAsked } from "../wait-for-end.ts";

export const dev = defineCommand({
  summary: "Run the operator on an embedded cluster, and take up every edit",
  description:
    "Starts a cluster in this process, generates and applies the project's definitions and permissions, and runs the operator as its own ServiceAccount. Your kubeconfig is neither read nor written: point kubectl at .tsbuilder/dev/kubeconfig.",
  flags: {
    samples: { type: "boolean", summary: "apply config/samples at the start", default: false },
    persist: { type: "boolean", summary: "keep the cluster's objects for the next time", default: false },
    port: { type: "number", summary: "port of the cluster (default: a free one)", placeholder: "PORT" },
    inspect: {
      type: "optional-string",
      summary: "let a debugger attach to the operator",
      placeholder: "HOST:PORT",
    },
  },
  examples: ["tsbuilder dev --samples", "KUBECONFIG=.tsbuilder/dev/kubeconfig kubectl get pods"],
  async run({ flags, cwd, ui }) {
    const { root, project } = openProject(cwd, ui);
    const { startSession } = await import("../../dev/session.ts");
    const { plainLines } = await import("../../dev/plain-lines.ts");
    const own = project.resources.filter(({ origin }) => origin.type === "own");
    const explain = (error: unknown): string =>
      describeError(error, (file) => readFileSync(join(root, file), "utf8"));
    const ended = endAsked();
    const session = await startSession(
      {
        root,
        projectName: project.projectName,
        kinds: own.map((resource) => ({
          apiVersion: `${qualifiedGroup(resource)}/${resource.version}`,
          kind: resource.kind,
        })),
        hasWebhooks: project.resources.some(hasWebhooks),
        port: flags.port,
        persist: flags.persist,
        inspect: flags.inspect === true ? "127.0.0.1:9229" : flags.inspect,
        generate: async () => {
          const draft = new Draft(diskTree(root));
          await planGenerated(draft);
          applyPlan(root, draft.changes());
        },
      },
      (event) => ui.print(plainLines(event, explain)),
    );
    ui.print(`cluster ready at ${session.url}: KUBECONFIG=${session.kubeconfig} kubectl get all`);
    if (flags.samples) ui.print(`applied ${await session.applySamples()} samples`);
    await ended;
    await session.stop();
  },
});
