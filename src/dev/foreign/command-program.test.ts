import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "@tsbuilder/apimachinery/port";
import type { AnsweredRequest } from "@tsbuilder/cluster";
import { eventually } from "@tsbuilder/runtime/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { DevCluster } from "../cluster/dev-cluster.ts";
import type { DevEvent } from "../dev-event.ts";
import type { SessionPlace, WebhookPlace } from "../operator/session-operator.ts";
import { type CommandOptions, CommandProgram } from "./command-program.ts";
import type { FoundOperator } from "./find-operator.ts";
import type { TsbuilderError } from "../../shared/errors.ts";

const operator: FoundOperator = {
  name: "shop",
  account: { namespace: "shops", name: "shop" },
  kinds: [],
  hasWebhooks: false,
  manifests: () => ({ crds: [], converted: new Set(), webhooks: [], rbac: [], others: [] }),
  manifestPaths: ["config"],
  leftOut: [],
};

const program = (more: Partial<CommandOptions> = {}): CommandProgram =>
  new CommandProgram({ root: ".", operator, command: "true", build: undefined, watch: [], ...more });

describe("the sources of a command", () => {
  test.each([
    ["main.go", true],
    ["internal/controller/shop_controller.go", true],
    ["go.sum", true],
    ["Makefile", true],
    ["src/main.rs", true],
    ["config/rbac/role.yaml", true],
    ["bin/manager", false],
    ["bin/tool.go", false],
    ["vendor/k8s.io/api/types.go", false],
    ["web/node_modules/a/index.js", false],
    [".git/config.yaml", false],
    [".tsbuilder/dev/kubeconfig.yaml", false],
    ["session.jsonl", false],
    ["main.go~", false],
  ])("by default, an edit of %s matters: %s", (path, matters) => {
    const { sources } = program();
    const folders = path.split("/").slice(0, -1);
    const isReached = folders.every((_, index) => sources.isFolder(folders.slice(0, index + 1).join("/")));
    expect(isReached && sources.isFile(path)).toBe(matters);
  });

  test.each([
    ["pkg/a.txt", true],
    ["pkg/deep/a.txt", true],
    ["build/generated/a.go", true],
    ["build/other/a.go", false],
    ["main.go", false],
    ["config/rbac/role.yaml", true],
  ])("with --watch pkg,./build/generated, an edit of %s matters: %s", (path, matters) => {
    const { sources } = program({ watch: ["pkg", "./build/generated"] });
    const folders = path.split("/").slice(0, -1);
    const isReached = folders.every((_, index) => sources.isFolder(folders.slice(0, index + 1).join("/")));
    expect(isReached && sources.isFile(path)).toBe(matters);
  });

  test("manifests in a folder of results are watched, other files there are not", () => {
    const { sources, neededBy } = program({
      operator: { ...operator, manifestPaths: ["./dist/install.yaml"] },
    });
    expect(sources.isFolder("dist")).toBe(true);
    expect([sources.isFile("dist/install.yaml"), sources.isFile("dist/main.js")]).toEqual([true, false]);
    expect([neededBy("dist/install.yaml"), neededBy("main.go")]).toEqual([["apply"], ["build"]]);
  });
});

describe("a running command", () => {
  let root: string;
  let events: DevEvent[];
  const stops: (() => Promise<void>)[] = [];
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "command-program-"));
    events = [];
  });
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
    rmSync(root, { recursive: true, force: true });
  });

  const cluster = { actAs: async (name: string) => `/kubeconfig of ${name}` } as unknown as DevCluster;
  async function start(command: string, webhooks?: WebhookPlace): Promise<CommandProgram> {
    const started = program({ root, command });
    const place: SessionPlace = { namespace: "shops", prefix: "", webhooks };
    const record = { append: () => undefined };
    const report = (event: DevEvent): void => void events.push(event);
    const process = await started.prepare({ cluster, place, record, report });
    stops.push(() => process.stop());
    await process.restart();
    return started;
  }
  const linesSeen = () => events.flatMap((event) => (event.type === "operator" ? event.line : []));
  const errorsSeen = () =>
    events.flatMap((event) => (event.type === "error" ? (event.error as Error).message : []));

  test("acts as the operator's ServiceAccount, and not as a pod of another cluster", async () => {
    process.env["KUBERNETES_SERVICE_HOST"] = "10.0.0.1";
    await start(
      'echo "$KUBECONFIG|$POD_NAMESPACE|${WATCH_NAMESPACE-unset}|${KUBERNETES_SERVICE_HOST-unset}|${WEBHOOK_PORT-unset}|$KUBERNETES_CERTS_CLIENT_KEY_ALGO"',
    );
    delete process.env["KUBERNETES_SERVICE_HOST"];
    await eventually(() => expect(linesSeen()).toEqual(["/kubeconfig of shop|shops||unset|unset|EC"]));
  });

  test("is ready once it serves its webhooks where the cluster calls them", async () => {
    const port = await freePort();
    const host = "127.0.0.1";
    const place = { port, host, certificates: "/certificates", url: `https://${host}:${port}`, caBundle: "" };
    const listen = "require('net').createServer().listen(process.env.WEBHOOK_PORT, process.env.WEBHOOK_HOST)";
    await start(`echo $WEBHOOK_CERT_DIR; exec node -e "${listen}"`, place);
    expect(linesSeen()).toEqual(["/certificates"]);
    expect(errorsSeen()).toEqual([]);
  });

  test("says what to do about a leader election that needs the files of a pod", async () => {
    await start("echo 'unable to find leader election namespace: not running in-cluster'; exit 1");
    const hints = () =>
      events.flatMap((event) => (event.type === "error" ? ((event.error as TsbuilderError).hint ?? "") : []));
    await eventually(() => expect(hints()).toEqual([expect.stringContaining("--leader-elect=false")]));
  });

  test("is told once of each right that it lacks", async () => {
    const running = await start("sleep 600");
    const failure = (verb: string): string =>
      `deployments.apps is forbidden: User "system:serviceaccount:shops:shop" cannot ${verb} resource "deployments" in API group "apps" in the namespace "default"`;
    const request = { user: "", userAgent: "", traceparent: undefined, method: "GET", milliseconds: 1 };
    const path = "/apis/apps/v1/deployments";
    const send = (answer: Pick<AnsweredRequest, "code" | "failure">): void =>
      running.answered({ ...request, path, ...answer });
    send({ code: 403, failure: failure("create") });
    send({ code: 403, failure: failure("create") });
    send({ code: 403, failure: "deployments.apps is forbidden: the page said so" });
    send({ code: 403, failure: failure("patch") });
    send({ code: 200, failure: undefined });
    const of = 'deployments: no role of ServiceAccount "shop" in "shops" has that';
    expect(errorsSeen()).toEqual([
      `the operator is not allowed to create ${of}`,
      `the operator is not allowed to patch ${of}`,
    ]);
  });
});
