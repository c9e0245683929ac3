import type { Manager } from "@tsbuilder/runtime";
import { Pod, Secret } from "@tsbuilder/runtime/k8s/core/v1";
import { expect, test } from "vitest";
import { applyShop, Shop, shopScenario } from "../../../e2e/support/simulation/simulated-shop.ts";
import { external, type Pods, type Scenario, type Step } from "../contract/index.ts";
import { explore } from "../explore/explore.ts";
import { simulate } from "./simulate.ts";

const volumes = [{ name: "login", secret: { secretName: "a", items: [{ key: "size", path: "db/size" }] } }];
const container = {
  name: "server",
  image: "server:1",
  env: [{ name: "SIZE", valueFrom: { secretKeyRef: { name: "a", key: "size" } } }],
  envFrom: [{ prefix: "ALL_", secretRef: { name: "a" } }],
  volumeMounts: [
    { name: "login", mountPath: "/etc/login" },
    { name: "login", mountPath: "/etc/size", subPath: "db/size" },
  ],
};

/** Keeps a Secret and a server for each shop, and has the server read its files until it has done so `isTaken`. */
function keepServers(manager: Manager, isTaken: (answer: string, size: number) => boolean): void {
  const { client } = manager;
  manager
    .controllerFor(Shop)
    .owns(Secret)
    .owns(Pod)
    .complete({
      async reconcile(metadata) {
        const shop = await client.find(Shop, metadata);
        if (!shop || shop.metadata.deletionTimestamp) return;
        const { size } = shop.spec;
        await client.apply(Secret, { metadata, stringData: { size: String(size) } }, { owner: shop });
        const spec = { containers: [container], volumes };
        const pod = await client.apply(Pod, { metadata, spec }, { owner: shop });
        const isReady = pod.status?.conditions?.some(
          ({ type, status }) => type === "Ready" && status === "True",
        );
        if (!isReady || shop.status?.size === size) return;
        const { stdout } = await client.exec(pod, ["reload"]);
        if (!isTaken(stdout, size)) return { requeueAfter: "10s" };
        await client.patchStatus(Shop, shop, { size });
      },
    });
}

/** A server that takes what is in its file, and says what it took. */
const server = (read: (pods: Pods, pod: { namespace: string; pod: string }) => string | undefined) =>
  external({
    state: () => ({ size: "", reloads: 0 }),
    exec(command, state, pods) {
      state.reloads++;
      state.size = read(pods, command) ?? "none";
      return { stdout: state.size };
    },
    leftover: () => [],
  });

const scenarioOf = (setup: (manager: Manager) => void, more: Partial<Scenario> = {}): Scenario => ({
  ...shopScenario(setup),
  controllers: ["scheduler", "node", "kubelet"],
  external: { server: server((pods, pod) => pods.readFile(pod, "/etc/login/db/size")) },
  steps: [applyShop("a", { size: 1 }), { ...applyShop("a", { size: 2 }), after: 60_000 } as Step],
  mayDiffer: ({ kind, metadata }) => kind === "state" && metadata.name === "reloads",
  ...more,
});

const patient = (manager: Manager): void => keepServers(manager, (answer, size) => answer === String(size));
const hasty = (manager: Manager): void => keepServers(manager, () => true);

test("a pod's files follow a Secret when the kubelet next refreshes them", async () => {
  const { trace, state } = await simulate(scenarioOf(patient));
  expect(state.external).toMatchObject({ server: { size: "2" } });
  const written = trace.findLast(
    (event) =>
      event.type === "change" &&
      event.resource === "secrets" &&
      event.by === "shop-0" &&
      event.change === "MODIFIED",
  )!.at;
  const looks = trace.flatMap((event) =>
    event.type === "call" && event.to === "server" && event.at > written ? [event.at - written] : [],
  );
  expect(looks.length).toBeGreaterThan(1);
  expect(looks.at(-1)).toBeLessThan(100_000);
});

test("an operator that waits for that is right, whatever happens to it", async () => {
  expect((await explore(scenarioOf(patient), { seeds: 4 })).failure?.story).toBeUndefined();
});

test("an operator that takes it for granted that a pod knows what was written is found", async () => {
  const { failure } = await explore(scenarioOf(hasty), { seeds: 1, shrinks: 0 });
  expect(failure?.verdict.class).toBe("history");
  expect(failure?.verdict.message).toContain('value is "1", not "2"');
});

test("environment variables and files of a subPath stay as they were when the container was started", async () => {
  const seen: (string | undefined)[][] = [];
  const servers = server((pods, pod) => {
    seen.push([
      pods.readFile(pod, "/etc/login/db/size"),
      pods.readFile(pod, "/etc/size"),
      pods.readEnv(pod, "SIZE"),
      pods.readEnv(pod, "ALL_size"),
      pods.readEnv({ ...pod, container: "other" }, "SIZE"),
      pods.readFile(pod, "/etc/login/size"),
      pods.readFile({ ...pod, pod: "b" }, "/etc/size"),
    ]);
    return seen.at(-1)![0];
  });
  await simulate(scenarioOf(patient, { external: { server: servers } }));
  expect(seen[0]).toEqual(["1", "1", "1", "1", undefined, undefined, undefined]);
  expect(seen.at(-1)).toEqual(["2", "1", "1", "1", undefined, undefined, undefined]);
});

test("a container that starts again gets the environment of then", async () => {
  const seen: (string | undefined)[] = [];
  const servers = server((pods, pod) => {
    seen.push(pods.readEnv(pod, "SIZE"));
    return seen.at(-1);
  });
  const faults = [{ fault: "pod", pod: 0, how: "crash", at: 90_000, for: 1000 }] as const;
  await simulate(scenarioOf(patient, { external: { server: servers }, faults }));
  expect([...new Set(seen)]).toEqual(["1", "2"]);
});
