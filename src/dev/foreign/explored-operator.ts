// An operator in any language as the simulation explores it: its manifests become the world of its runs, and each place in which runs go
// on has ports and a kubeconfig of its own.

import { mkdirSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { json } from "node:stream/consumers";
import { freePort } from "@tsbuilder/apimachinery/port";
import { visibleText } from "@tsbuilder/apimachinery/text";
import type { OperatorProgram, ProgramExploration } from "@tsbuilder/simulation";
import { TsbuilderError } from "../../shared/errors.ts";
import { writePrivate } from "../../shared/files.ts";
import { listWords } from "../../shared/text.ts";
import type { ManifestObject } from "../../ship/manifest.ts";
import { localConversion, localWebhooks, placeRbac } from "../config/apply-config.ts";
import { type WebhookPlace, prepareWebhooks } from "../operator/session-operator.ts";
import { launch, signalGroup } from "./command-process.ts";
import type { FoundOperator, OperatorKind } from "./find-operator.ts";

/** The operator to explore, and how its users behave. */
export interface ExploredOptions {
  readonly root: string;
  readonly operator: FoundOperator;
  readonly command: string;
  /** `GROUP/VERSION/Kind`, or only the kind. */
  readonly kind: string | undefined;
  /** Objects with which users begin: those of the kind are samples, the others are there from the beginning. */
  readonly samples: readonly ManifestObject[];
  readonly patience: number | undefined;
  readonly operations: NonNullable<ProgramExploration["operations"]>;
  /** The command takes the ports that it is told, so that several of its processes may run at once. */
  readonly runsSideBySide: boolean;
  /** The port of webhooks, if the operator's code fixes it. */
  readonly webhookPort: number | undefined;
  /** A folder for kubeconfigs and certificates. */
  readonly folder: string;
}

/** Prepares an operator to be explored. Nothing runs yet. */
export function exploredOperator(options: ExploredOptions): ProgramExploration {
  const { operator, samples } = options;
  const kind = chooseKind(operator, options.kind);
  const { crds, converted, webhooks, rbac, others } = operator.manifests();
  const definitions = crds.map((crd) =>
    converted.has(crd.metadata.name) ? localConversion(crd, anyAddress) : crd,
  );
  const isOfKind = ({ apiVersion, kind: name }: ManifestObject): boolean =>
    apiVersion === kind.apiVersion && name === kind.kind;
  const called = localWebhooks(webhooks, anyAddress);
  const objects = [
    ...definitions.filter(({ metadata }) => metadata.name !== kind.resource),
    ...namespacesOf([...rbac, ...others], operator.account.namespace),
    ...placeRbac(rbac, operator.account),
    ...others.filter((object) => object.kind !== "Namespace"),
    ...samples.filter((object) => !isOfKind(object)),
    ...called,
  ];
  return {
    name: kind.kind.toLowerCase(),
    crd: definitions.find(
      ({ metadata }) => metadata.name === kind.resource,
    ) as unknown as ProgramExploration["crd"],
    objects,
    samples: samples.filter(isOfKind),
    operations: options.operations,
    patience: options.patience,
    program: programOf(options, kind, operator.hasWebhooks ? webhookPaths(called) : []),
  };
}

/** Calls are carried to the process of a run by their path alone. */
const anyAddress = { url: "https://operator.invalid", caBundle: "" };

function chooseKind({ kinds }: FoundOperator, wanted: string | undefined): OperatorKind {
  const named = kinds.filter(
    ({ apiVersion, kind }) => wanted === undefined || wanted === kind || wanted === `${apiVersion}/${kind}`,
  );
  const [kind] = named;
  if (named.length === 1 && kind) return kind;
  const all = kinds.map(({ apiVersion, kind: name }) => visibleText(`${apiVersion}/${name}`));
  const problem =
    wanted === undefined ? "the operator has several kinds" : `the manifests have no kind "${wanted}"`;
  throw new TsbuilderError(kinds.length === 0 ? "the manifests have no CRD" : problem, {
    code: "INVALID_ARGUMENT",
    hint: `choose the kind whose objects users change: --kind ${listWords(all, "or")}`,
  });
}

function namespacesOf(objects: readonly ManifestObject[], own: string): ManifestObject[] {
  const names = objects.flatMap(({ kind, metadata }) =>
    kind === "Namespace" ? [metadata.name] : (metadata.namespace ?? []),
  );
  const made = new Set(["default", "kube-system", "kube-public", "kube-node-lease"]);
  return [...new Set([own, ...names])]
    .filter((name) => !made.has(name))
    .map((name) => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } }));
}

/** The ports, the certificates and the kubeconfig of one process. */
interface Seat {
  readonly kubeconfig: string;
  readonly webhooks: WebhookPlace;
  readonly env: Readonly<Record<string, string>>;
}

/** Hands out seats, which a process leaves when it has ended. */
class Seats {
  readonly #options: ExploredOptions;
  readonly #free: Seat[] = [];
  #count = 0;

  constructor(options: ExploredOptions) {
    this.#options = options;
  }

  async take(): Promise<Seat> {
    return this.#free.pop() ?? this.#make();
  }

  leave(seat: Seat): void {
    this.#free.push(seat);
  }

  async #make(): Promise<Seat> {
    const folder = join(this.#options.folder, String(this.#count++));
    mkdirSync(folder, { recursive: true });
    const webhooks = await prepareWebhooks(folder, undefined, { port: this.#options.webhookPort });
    const kubeconfig = join(folder, "kubeconfig");
    return {
      kubeconfig,
      webhooks,
      env: {
        KUBECONFIG: kubeconfig,
        METRICS_PORT: String(await freePort()),
        HEALTH_PORT: String(await freePort()),
        WEBHOOK_PORT: String(webhooks.port),
        WEBHOOK_HOST: webhooks.host ?? "",
        WEBHOOK_CERT_DIR: webhooks.certificates,
      },
    };
  }
}

/** Lines of an operator that say why it ended. */
const lastWords = /^(?:panic: |fatal error: |thread '.*' panicked|Exception in thread|\w*Error: )/u;

function programOf(options: ExploredOptions, kind: OperatorKind, paths: readonly string[]): OperatorProgram {
  const { root, command, operator, runsSideBySide } = options;
  const { account } = operator;
  const seats = new Seats(options);
  return {
    account,
    resource: kind.resource.split(".")[0]!,
    webhookPaths: paths,
    runsSideBySide,
    start: async (server, onExit) => {
      const seat = await seats.take();
      writePrivate(seat.kubeconfig, kubeconfigOf(server, account.namespace));
      const own = {
        POD_NAMESPACE: account.namespace,
        WATCH_NAMESPACE: "",
        KUBERNETES_SERVICE_HOST: undefined,
        KUBERNETES_SERVICE_PORT: undefined,
      };
      const child = launch({ command, folder: root, env: { ...seat.env, ...own } });
      let words = "";
      let last = "";
      for (const stream of [child.stdout!, child.stderr!])
        createInterface({ input: stream }).on("line", (line) => {
          if (words === "" && lastWords.test(line)) words = line;
          last = line;
        });
      child.once("close", (code, signal) => {
        seats.leave(seat);
        const reason = code === null ? `by ${signal}` : `with code ${code}`;
        const said = words || last;
        onExit(said === "" ? reason : `${reason}: ${visibleText(said)}`);
      });
      child.once("error", ({ message }) => onExit(message));
      return {
        signal: (signal) => signalGroup(child, signal),
        callWebhook: (path, body) => callWebhook(seat.webhooks, path, body),
      };
    },
  };
}

/** Makes a kubeconfig without credentials: the port at which the cluster is reached tells whose requests these are. */
function kubeconfigOf(server: string, namespace: string): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "explored", cluster: { server } }],
    users: [{ name: "operator", user: { token: "operator" } }],
    contexts: [{ name: "explored", context: { cluster: "explored", user: "operator", namespace } }],
    "current-context": "explored",
  });
}

function webhookPaths(configurations: readonly ManifestObject[]): string[] {
  const urls = configurations.flatMap((configuration) =>
    ((configuration["webhooks"] ?? []) as { clientConfig?: { url?: string } }[]).flatMap(
      ({ clientConfig }) => clientConfig?.url ?? [],
    ),
  );
  return [...new Set([...urls.map((url) => new URL(url).pathname), "/convert"])];
}

/** Sends a call of the API server to the process on this machine. */
function callWebhook(
  { port }: WebhookPlace,
  path: string,
  body: string,
): Promise<{ status: number; body: object }> {
  return new Promise((resolve, reject) => {
    const call = request(
      {
        host: "127.0.0.1",
        port,
        path,
        method: "POST",
        rejectUnauthorized: false,
        headers: { "content-type": "application/json" },
      },
      (answer) => {
        json(answer).then(
          (read) => resolve({ status: answer.statusCode ?? 0, body: read as object }),
          reject,
        );
      },
    );
    call.once("error", reject);
    call.end(body);
  });
}
