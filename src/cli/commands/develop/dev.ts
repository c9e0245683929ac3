import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import type { Report } from "../../../dev/dev-event.ts";
import { isLasting } from "../../../dev/record/findings/finding.ts";
import type { RecentRecord } from "../../../dev/record/recent-record.ts";
import type { LineKeeper } from "../../../dev/record/record-line.ts";
import type { Page } from "../../../dev/page/page-server.ts";
import type { SessionRecording } from "../../../dev/record/session-recording.ts";
import type { Session, SessionOptions } from "../../../dev/session.ts";
import type { GeneratorCache } from "../../../generators/sources/cache.ts";
import { hasWebhooks, type Project, qualifiedGroup } from "../../../project/project.ts";
import { applyPlan, refuseLinkedFile } from "../../../scaffold/apply.ts";
import { Draft, type Tree } from "../../../scaffold/tree.ts";
import type { ClusterChoice } from "../../../ship/cluster/kubectl.ts";
import { TsbuilderError } from "../../../shared/errors.ts";
import { count } from "../../../shared/text.ts";
import {
  announceTarget,
  chosenNodes,
  namesCluster,
  nodeFlags,
  otherClusterFlags,
  releaseFlag,
} from "../../arguments/cluster-flags.ts";
import { defineCommand, type Invocation, flag, invalidArgument } from "../../arguments/command.ts";
import { checkPort } from "../../../project/validate.ts";
import { withProjectLock } from "../../project/lock-project.ts";
import { openProject } from "../../project/open-project.ts";
import { readPageAssets } from "./page-assets.ts";
import { planGenerated, refuseEmptied } from "../../project/plan-generated.ts";
import { describeError } from "../../reporting/explain-error.ts";
import { type Ui, stopSignal } from "../../reporting/report.ts";
import {
  type DevSubject,
  type CommandFlags,
  type EmbeddedFlags,
  commandFlags,
  commandSubject,
  embeddedCluster,
  refuseCommandFlags,
} from "./dev-exec.ts";
import type { PageAction } from "../../../dev/page/page-action.ts";
import type { SessionView } from "../../../dev/view/session-view.ts";

const devFormats = ["text", "json"] as const;

const noWebhooks =
  "webhooks are disabled: the cluster has no address to reach this machine; set it with --webhook-address HOST[:PORT]";

export const dev = defineCommand({
  description:
    "Starts a cluster in this process, generates and applies the project's CRDs and RBAC, and runs the operator as its own ServiceAccount. Your kubeconfig is neither read nor changed: point kubectl at .tsbuilder/dev/kubeconfig. With --context or --kubeconfig, it uses that cluster instead, in the namespace <project>-dev, and deletes its RBAC and webhooks on exit; CRDs and custom resources are kept. With --exec it runs an operator in any language, which it knows by its manifests. Arguments after -- are passed to the operator.",
  streams: true,
  flags: {
    ...otherClusterFlags,
    yes: flag.switch("do not ask for confirmation before using that cluster"),
    "webhook-address": flag.string(
      "address at which that cluster reaches the webhooks on this machine",
      "HOST[:PORT]",
      { check: checkAddress },
    ),
    samples: flag.switch("apply config/samples on startup"),
    plain: flag.switch("print plain lines instead of the full-screen view, also on a terminal"),
    output: flag.string(
      "format of the output; json prints what happens as lines of JSON, for programs",
      "FORMAT",
      { choices: devFormats, default: "text", short: "o" },
    ),
    persist: flag.switch("persist the cluster's objects between runs"),
    port: flag.number("port of the cluster (default: a free port)", "PORT", { check: checkPort }),
    "kubernetes-version": releaseFlag,
    ...nodeFlags,
    record: flag.string(
      "record what happens in this file, which ends in .jsonl, for tsbuilder replay",
      "FILE",
      { check: checkRecord },
    ),
    inspect: {
      type: "optional-string",
      summary: "let a debugger attach to the operator",
      placeholder: "HOST:PORT",
    },
    ...commandFlags,
  },
  takesRest: true,
  examples: [
    "tsbuilder dev --samples",
    "tsbuilder dev --nodes 1",
    "tsbuilder dev -- --log-level debug",
    "tsbuilder dev --samples --record session.jsonl",
    "tsbuilder dev --output json | jq 'select(.type == \"reconcile\")'",
    "KUBECONFIG=.tsbuilder/dev/kubeconfig kubectl get pods",
    "tsbuilder dev --samples --build 'go build -o bin/manager ./cmd' --exec bin/manager",
    "tsbuilder dev --manifests deploy --exec 'python operator.py'",
  ],
  async run(call) {
    const { flags } = call;
    const ui = uiForOutput(flags, call.ui);
    const subject =
      flags.exec === undefined ? await projectSubject(call, ui) : await commandSubject(call, ui);
    const { name, root, describe } = subject;
    const ended = stopSignal();
    const { view, keeper } = await openView(flags, ui, { title: name, root }, describe);
    const { RecentRecord } = await import("../../../dev/record/recent-record.ts");
    const recent = new RecentRecord();
    const recording = await openRecording(call, { name, recent, keeper }, view.report, describe);
    const report: Report = (event) => {
      recording.event(event);
      view.report(event);
    };
    const telling = setInterval(() => {
      const now = Date.now();
      const findings = recent.findings.list(now).filter((one) => isLasting(one, now));
      view.report({ type: "findings", findings });
    }, 1000);
    try {
      const { startSession } = await import("../../../dev/session.ts");
      const session = await startSession({ ...(await subject.session(recording)), recording }, report);
      let page: Page | undefined;
      try {
        const { startPage } = await import("../../../dev/page/page-server.ts");
        const { openSourceAction } = await import("../../../dev/page/open-source-action.ts");
        const open = openSourceAction(root, process.env);
        const actions = { ...session.actions, open, ...subject.actions(recent) };
        page = await startPage({ assets: readPageAssets(), record: recent, actions });
        view.started(session, page.url);
        if (flags.samples) await reportSamples(session, report);
        await Promise.race([ended, view.quit]);
      } finally {
        // The page must not start an action while the session stops.
        await page?.stop();
        await session.stop();
      }
    } finally {
      clearInterval(telling);
      recording.close();
      view.close();
    }
  },
});

/** The project of the current folder. Asks before it uses another cluster than the embedded one. */
async function projectSubject({ flags, rest, cwd }: DevCall, ui: Ui): Promise<DevSubject> {
  refuseCommandFlags(flags);
  const isOther = namesCluster(flags);
  if (isOther) rejectEmbeddedFlags(flags);
  const { root, project, tree } = openProject(cwd, ui);
  if (isOther) {
    if (project.resources.some(hasWebhooks) && flags["webhook-address"] === undefined) ui.note(noWebhooks);
    await confirmCluster(flags, ui);
  }
  return {
    name: project.projectName,
    root: realpathSync(root),
    describe: (error) => describeError(error, (file) => tree.read(file)),
    session: (recording) =>
      sessionOptions({ root, project, args: rest }, flags, refuseEmptied(tree), recording),
    actions: (recent) => {
      const test: PageAction = async () => {
        const { writeRecordedTest } = await import("./written-test.ts");
        return writeRecordedTest(openProject(cwd, ui), recent);
      };
      // A test is written from the record of all writes, which only the embedded cluster reports.
      return isOther ? {} : { test };
    },
  };
}

function checkAddress(address: string): void {
  if (/^([\w.-]+|\[[\da-f:]+\])(:\d{1,5})?$/i.test(address)) return;
  throw invalidArgument(
    `"${address}" is not a valid address`,
    "use a host name or an IP address, with an optional port: 172.17.0.1:9443",
  );
}

/** Refuses other endings: a typing error must not overwrite a source, and dev must not take its own record for an edit. */
function checkRecord(path: string): void {
  if (path.endsWith(".jsonl")) return;
  throw invalidArgument(
    `"${path}" is not a name for a record`,
    "give it one that ends in .jsonl: session.jsonl",
  );
}

interface ViewChoice {
  readonly plain: boolean;
  readonly output: string;
}

/** Returns a UI without prompts for `--output json`, whose standard output has nothing but lines of JSON. */
function uiForOutput({ plain, output }: ViewChoice, ui: Ui): Ui {
  if (output !== "json") return ui;
  if (!plain) return { ...ui, isInteractive: false };
  throw invalidArgument(
    "--plain and --output json are mutually exclusive",
    "omit --plain: with --output json, only lines of JSON are printed to standard output",
  );
}

/** Rejects the flags of the embedded cluster, which another cluster has no use for. */
function rejectEmbeddedFlags(flags: SessionFlags): void {
  const asked = [flags.port, flags["kubernetes-version"], chosenNodes(flags)];
  if (!flags.persist && asked.every((value) => value === undefined)) return;
  throw invalidArgument(
    "--persist, --port, --kubernetes-version and --nodes only apply to the embedded cluster",
    "omit them, or omit --context and --kubeconfig",
  );
}

/** Prints the cluster and asks for confirmation: all users of that cluster see what dev applies. */
async function confirmCluster(flags: ClusterChoice & { readonly yes: boolean }, ui: Ui): Promise<void> {
  await announceTarget(flags, ui, { action: "Developing" });
  if (flags.yes) return;
  if (!ui.isInteractive) {
    throw new TsbuilderError(
      "dev would apply CRDs and RBAC to this cluster, and there is no terminal for confirmation",
      { code: "MISSING_ANSWER", hint: "confirm with --yes" },
    );
  }
  const { ask } = await import("../../arguments/prompt.ts");
  const prompt = "Apply CRDs and RBAC there, and run the operator on this machine?";
  const agreed = await ask("yes", { type: "boolean", summary: prompt, prompt, promptDefault: false });
  if (agreed) return;
  throw new TsbuilderError("canceled; nothing was changed", {
    code: "REFUSED",
    hint: "omit --context and --kubeconfig to use the embedded cluster",
  });
}

/** The view of a session, and the receiver of its record's lines. */
interface OpenView {
  readonly view: SessionView;
  readonly keeper?: LineKeeper | undefined;
}

/** Opens the full screen, or prints plain lines, or for `--output json` the lines of the record. */
async function openView(
  { plain, output }: ViewChoice,
  ui: Ui,
  project: { readonly title: string; readonly root: string },
  describe: (error: unknown) => string,
): Promise<OpenView> {
  if (ui.isInteractive && !plain && process.env["TERM"] !== "dumb") {
    const { openScreen } = await import("../../../dev/view/open-screen.ts");
    const view = openScreen({ input: process.stdin, output: process.stdout }, project, describe);
    return { view, keeper: view.owned };
  }
  const { plainView } = await import("../../../dev/view/session-view.ts");
  if (output !== "json") return { view: plainView((text) => ui.print(text), project.root, describe) };
  const { printedLines } = await import("../../../dev/record/record-line.ts");
  const view = plainView((text) => ui.note(text), project.root, describe);
  // The record has all other events; errors are for people, too.
  const report: SessionView["report"] = (event) => event.type === "error" && view.report(event);
  return { view: { ...view, report }, keeper: printedLines((line) => ui.print(line)) };
}

/** The operator that is recorded, and the receivers of the record's lines besides the file. */
interface RecordedProject {
  readonly name: string;
  readonly recent: RecentRecord;
  readonly keeper: LineKeeper | undefined;
}

type DevCall = Pick<Invocation, "rest" | "cwd"> & {
  readonly flags: SessionFlags & CommandFlags & { readonly yes: boolean };
};

type RecordingCall = Pick<Invocation, "cwd" | "host"> & {
  readonly flags: { readonly record: string | undefined };
};

async function openRecording(
  { flags, cwd, host }: RecordingCall,
  { name, ...keepers }: RecordedProject,
  report: Report,
  describe: (error: unknown) => string,
): Promise<SessionRecording> {
  const path = flags.record === undefined ? undefined : resolve(cwd, flags.record);
  if (path !== undefined) refuseLinkedFile(cwd, path);
  const { SessionRecording } = await import("../../../dev/record/session-recording.ts");
  return new SessionRecording(path, {
    project: name,
    tsbuilder: host.version(),
    describe,
    ...keepers,
    onEnd: (cause) => report({ type: "error", error: notRecorded(path ?? "", cause) }),
  });
}

function notRecorded(path: string, cause: unknown): TsbuilderError {
  return new TsbuilderError(`nothing more is recorded in "${path}": ${(cause as Error).message}`, {
    code: "REFUSED",
    hint: "dev continues; to record again, restart it",
    cause,
  });
}

interface SessionFlags extends EmbeddedFlags {
  readonly inspect: string | true | undefined;
  readonly "webhook-address": string | undefined;
}

interface RunProject {
  readonly root: string;
  readonly project: Project;
  readonly args: readonly string[];
}

function sessionOptions(
  { root, project, args }: RunProject,
  flags: SessionFlags,
  tree: Tree,
  recording: SessionRecording,
): SessionOptions {
  const { projectName } = project;
  let cache: GeneratorCache | undefined;
  const ownResources = project.resources.filter(({ origin }) => origin.type === "own");
  const inspect = flags.inspect === true ? "127.0.0.1:9229" : flags.inspect;
  const generate = async (): Promise<readonly string[]> => {
    const kept = (cache ??= (await import("../../../generators/sources/cache.ts")).createCache());
    return withProjectLock(root, { name: "dev", note: () => undefined }, async () => {
      const draft = new Draft(tree);
      await planGenerated(draft, {}, kept);
      const changes = draft.changes();
      applyPlan(root, changes);
      return changes.map(({ path }) => path);
    });
  };
  return {
    root,
    openProgram: async (folder) => {
      const { projectProgram } = await import("../../../dev/operator/project-program.ts");
      return projectProgram({ root, inspect, args, generate }, folder);
    },
    kinds: ownResources.map((resource) => ({
      apiVersion: `${qualifiedGroup(resource)}/${resource.version}`,
      kind: resource.kind,
    })),
    hasWebhooks: project.resources.some(hasWebhooks),
    webhookAddress: flags["webhook-address"],
    openCluster: namesCluster(flags)
      ? async (folder) =>
          (await import("../../../dev/cluster/other-cluster.ts")).openOtherCluster(folder, flags, projectName)
      : embeddedCluster(flags, recording, { projectName }),
  };
}

/** Applies the samples. A rejected one is only reported, because the user can fix it while dev runs. */
async function reportSamples(session: Session, report: Report): Promise<void> {
  try {
    report({ type: "info", text: `applied ${count(await session.applySamples(), "sample")}` });
  } catch (error) {
    report({ type: "error", error });
  }
}
