// The program of a session that runs an operator in any language: a command that a person typed, beside the manifests of its folder.
// Begin here. `find-operator` reads the manifests, `command-process` runs the commands, `operator-requests` records what the API server sees.

import { missingPermission } from "@tsbuilder/apimachinery/naming";
import type { AnsweredRequest, ClusterWrite } from "@tsbuilder/cluster";
import type { Report } from "../dev-event.ts";
import type { OperatorProcess } from "../operator/operator-process.ts";
import { type WebhookPlace, operatorEnd, waitForPort } from "../operator/session-operator.ts";
import type { NeededStep } from "../reload/reloader.ts";
import type { WatchedSources } from "../reload/watch-sources.ts";
import type { RunningParts, SessionProgram } from "../session.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import { commandProcess, runBuild } from "./command-process.ts";
import { type FoundOperator, isBelow } from "./find-operator.ts";
import { OperatorRequests } from "./operator-requests.ts";

/** The commands that a person typed to build and run the operator, and the files that it is built from. */
export interface CommandOptions {
  readonly root: string;
  readonly operator: FoundOperator;
  readonly command: string;
  readonly build: string | undefined;
  /** Files and folders. Default: all sources of the folder. */
  readonly watch: readonly string[];
}

/** The time in milliseconds in which the command must serve webhooks: it may compile the operator first. */
const webhookPatience = 120_000;

/** Builds and runs a command, and follows its requests. Pass all writes of the cluster, and the operator's requests. */
export class CommandProgram implements SessionProgram {
  readonly #options: CommandOptions;
  readonly #requests: OperatorRequests;
  readonly #ending = new AbortController();
  readonly sources: WatchedSources;
  readonly skipsUnchanged = true;
  readonly hasMovableClock = false;
  #report: Report | undefined;
  /** The rights that this process has missed already. */
  readonly #missed = new Set<string>();

  constructor(options: CommandOptions) {
    this.#options = options;
    this.#requests = new OperatorRequests(options.operator.kinds);
    this.sources = sourcesOf(options);
  }

  readonly neededBy = (file: string): readonly NeededStep[] =>
    this.#options.operator.manifestPaths.some((each) => isBelow(file, each)) ? ["apply"] : ["build"];

  readonly generate = (): Promise<readonly string[]> => Promise.resolve([]);

  readonly build = async (): Promise<void> => {
    const { root, build } = this.#options;
    if (build !== undefined) await runBuild({ command: build, folder: root, env: {} }, this.#ending.signal);
  };

  readonly manifests = () => this.#options.operator.manifests();

  readonly prepare = async ({ cluster, place, record, report }: RunningParts): Promise<OperatorProcess> => {
    this.#report = report;
    this.#requests.recordIn(record);
    const { root, command, operator } = this.#options;
    const { webhooks, namespace } = place;
    const env = {
      KUBECONFIG: await cluster.actAs(operator.account.name),
      POD_NAMESPACE: namespace,
      WATCH_NAMESPACE: "",
      // A client must not take this machine for a pod of another cluster.
      KUBERNETES_SERVICE_HOST: undefined,
      KUBERNETES_SERVICE_PORT: undefined,
      // fabric8 (JOSDK) can't tell that the kubeconfig's key is on an elliptic curve.
      KUBERNETES_CERTS_CLIENT_KEY_ALGO: "EC",
      ...(webhooks && webhookVariables(webhooks)),
    };
    let advice = webhooks && certificateAdvice;
    const process = commandProcess(
      { command, folder: root, env },
      {
        listen: () => {
          this.#missed.clear();
          report({ type: "again", what: "operator" });
          return { message: () => undefined, end: () => this.#requests.end() };
        },
        onLine: (line) => {
          if (line.includes(noLeaseNamespace)) advice = leaseAdvice;
          report({ type: "operator", line });
        },
        onExit: (reason, isExpected) => report(operatorEnd(reason, [], isExpected, advice)),
      },
    );
    return {
      ...process,
      restart: async (meanwhile) => {
        await process.restart(meanwhile);
        if (!webhooks) return;
        const serves = await waitForPort(webhooks.port, () => process.isRunning(), webhookPatience);
        if (!serves) report({ type: "error", error: servesNoWebhooks(webhooks) });
      },
    };
  };

  write(write: ClusterWrite): void {
    this.#requests.write(write);
  }

  /** Follows a request of the operator. What it may not do is reported once for each process. */
  answered(request: AnsweredRequest): void {
    this.#requests.answered(request);
    const missing = request.code === 403 ? missingPermission(request.failure ?? "") : undefined;
    if (missing === undefined) return;
    const { verb, resource, marker } = missing;
    const right = `${verb} ${resource}`;
    if (this.#missed.has(right)) return;
    this.#missed.add(right);
    const { account } = this.#options.operator;
    const error = new TsbuilderError(
      `the operator is not allowed to ${right}: no role of ServiceAccount "${account.name}" in "${account.namespace}" has that`,
      { code: "REFUSED", hint: `add it to its role; for controller-gen: ${marker}` },
    );
    this.#report?.({ type: "error", error });
  }

  close(): void {
    this.#ending.abort();
  }
}

/** The variables by which a command learns where to serve its webhooks: `--exec 'manager --webhook-cert-path=$WEBHOOK_CERT_DIR'`. */
function webhookVariables({ port, host, certificates }: WebhookPlace): Readonly<Record<string, string>> {
  return {
    WEBHOOK_PORT: String(port),
    WEBHOOK_CERT_DIR: certificates,
    ...(host !== undefined && { WEBHOOK_HOST: host }),
  };
}

const certificateAdvice =
  "see the last lines of its log; the certificates of its webhooks are in $WEBHOOK_CERT_DIR, such as for --webhook-cert-path; it restarts with the next edit";

/** The error that controller-runtime logs if it must elect a leader and finds no file with the namespace of its pod. */
const noLeaseNamespace = "unable to find leader election namespace";

const leaseAdvice =
  "only a pod has a file with its namespace: turn leader election off, such as with --leader-elect=false, or name the namespace, $POD_NAMESPACE";

function servesNoWebhooks({ port, certificates }: WebhookPlace): TsbuilderError {
  return new TsbuilderError(
    `the operator does not listen at port ${port}, where the cluster calls its webhooks`,
    {
      code: "TOOL_FAILED",
      hint: `let it serve them at $WEBHOOK_PORT with the certificates of $WEBHOOK_CERT_DIR (${certificates}), or choose with --webhook-port and --webhook-cert-dir`,
    },
  );
}

/** Folders of results and of other people's code, in which nobody edits. */
const leftOut = new Set(
  "__pycache__ bin build coverage dist node_modules out target testbin vendor venv".split(" "),
);

/** Files that operators are built from, by the languages and tools in which they are written. */
const source =
  /(?:^|\/)(?:[^/]+\.(?:c|cc|clj|cpp|cs|ex|exs|fs|go|gradle|groovy|h|java|js|json|kt|kts|lua|mjs|mod|mts|php|properties|proto|py|rb|rego|rs|scala|sh|sql|sum|swift|tmpl|tpl|toml|ts|xml|ya?ml|zig)|Makefile|Dockerfile)$/u;

const isHidden = (path: string): boolean => path.split("/").some((part) => part.startsWith("."));

function sourcesOf({ watch, operator: { manifestPaths } }: CommandOptions): WatchedSources {
  const isChosen = (path: string): boolean => watch.some((each) => isBelow(path, each));
  const isManifest = (path: string): boolean => manifestPaths.some((each) => isBelow(path, each));
  const isLeftOut = (path: string): boolean => path.split("/").some((part) => leftOut.has(part));
  // Chosen files may lie in a folder that is otherwise left out.
  const leadsOn = (path: string): boolean =>
    [...watch, ...manifestPaths].some((each) => isBelow(each.replace(/^\.\//u, ""), path));
  return {
    isFile: (path) => {
      if (isHidden(path)) return false;
      if (isManifest(path)) return true;
      return watch.length > 0 ? isChosen(path) : source.test(path) && !isLeftOut(path);
    },
    isFolder: (path) => {
      if (isHidden(path)) return false;
      if (isManifest(path) || leadsOn(path)) return true;
      return watch.length > 0 ? isChosen(path) : !isLeftOut(path);
    },
  };
}
