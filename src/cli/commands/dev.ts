import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { SessionOptions } from "../../dev/session.ts";
import { hasWebhooks, type Project, qualifiedGroup } from "../../project/project.ts";
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
    plain: {
      type: "boolean",
      summary: "print lines instead of a screen, also on a terminal",
      default: false,
    },
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
    const describe = (error: unknown): string =>
      describeError(error, (file) => readFileSync(join(root, file), "utf8"));
    const ended = endAsked();
    const isScreen = ui.isInteractive && !flags.plain && process.env["TERM"] !== "dumb";
    const { openScreen } = await import("../../dev/screen/open-screen.ts");
    const { plainView } = await import("../../dev/plain-view.ts");
    const view = isScreen
      ? openScreen({ input: process.stdin, output: process.stdout }, project.projectName, describe)
      : plainView((text) => ui.print(text), describe);
    try {
      const { startSession } = await import("../../dev/session.ts");
      const session = await startSession(sessionOptions(root, project, flags), view.report);
      view.started(session);
      try {
        if (flags.samples)
          view.report({ type: "info", text: `applied ${await session.applySamples()} samples` });
        await Promise.race([ended, view.quit]);
      } finally {
        await session.stop();
      }
    } finally {
      view.close();
    }
  },
});

function sessionOptions(
  root: string,
  project: Project,
  flags: {
    readonly port: number | undefined;
    readonly persist: boolean;
    readonly inspect: string | true | undefined;
  },
): SessionOptions {
  const own = project.resources.filter(({ origin }) => origin.type === "own");
  return {
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
  };
}
