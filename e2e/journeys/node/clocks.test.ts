import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { timeoutIn } from "../../../.config/limits.ts";
import { eventually } from "../../support/eventually.ts";
import { installPackages } from "../../oracle/real/node/debian-packages.ts";
import { type NodeProject, prepareNodeProject } from "../../oracle/real/node/node-project.ts";

// Two pods of an operator on nodes whose clocks are wrong: a library in front of libc gives each pod a clock of its own.
// The tests depend on each other.

const what = "leader election with wrong clocks on a real node";
const library = "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1";
const prepared = prepareNodeProject(what);
const missing = prepared.missing ?? installPackages({ [library]: "libfaketime" });
if (missing !== prepared.missing) console.log(`left out: ${what}: ${missing}`);
const system = "shop-operator-system";
const manager = "deployment/shop-operator-controller-manager";
let project: NodeProject;

beforeAll(async () => {
  if (missing !== undefined) return;
  project = await prepared.start("shop-operator");
  await project.create("init", "--domain", "example.com");
  await project.create("create", "api", "--group", "apps", "--version", "v1", "--kind", "Shop");
  await project.tsbuilder("build", "--image", "shop-operator:v1", "--tool", "docker");
  await buildWithClock("shop-operator:v1", "shop-operator:clock");
  await project.tsbuilder("deploy", "--image", "shop-operator:clock");
  await project.kubectl(`patch ${manager} --namespace ${system} --patch`, JSON.stringify({ spec: pods }));
  await project.kubectl(`rollout status --namespace ${system} ${manager} --timeout=${timeoutIn.journey}`);
  // The pod before it still leads for a moment.
  await eventually(async () => {
    const names = await podNames();
    return names.length === 2 && names.includes((await readLease()).holder);
  });
});

afterAll(() => project?.node.stop());

const pods = {
  replicas: 2,
  template: {
    spec: {
      containers: [{ name: "manager", volumeMounts: [{ name: "clock", mountPath: "/clock" }] }],
      volumes: [{ name: "clock", emptyDir: {} }],
    },
  },
};

test.skipIf(missing !== undefined).each(["+2h", "-2h"])(
  "a leader whose clock moves by %s stays the only one",
  async (offset) => {
    const { holder, transitions } = await readLease();
    await setClock(holder, offset);
    // The Lease says when its holder thinks that it was renewed.
    await eventually(async () => expect(await hoursAhead()).toBe(Number.parseInt(offset, 10)));
    await renewals(12);
    expect(await readLease()).toMatchObject({ holder, transitions });
    await reconciles();
  },
);

test.skipIf(missing !== undefined)("a pod whose clock is ahead waits for its turn", async () => {
  const { holder, transitions } = await readLease();
  const [other = ""] = (await podNames()).filter((name) => name !== holder);
  await setClock(holder, "+0");
  await setClock(other, "+2h");
  await renewals(12);
  expect(await readLease()).toMatchObject({ holder, transitions });
});

test.skipIf(missing !== undefined)("it takes over once the leader is gone", async () => {
  const { holder } = await readLease();
  await project.kubectl(`delete pod --namespace ${system} ${holder} --grace-period 0 --force`);
  await eventually(async () => expect((await readLease()).holder).not.toBe(holder));
  await reconciles();
});

/** An image whose programs read their clock's offset from a file. */
async function buildWithClock(from: string, image: string): Promise<void> {
  const folder = join(project.node.folder, "clock");
  mkdirSync(folder);
  copyFileSync(library, join(folder, "clock.so"));
  const settings =
    "LD_PRELOAD=/clock.so FAKETIME_TIMESTAMP_FILE=/clock/offset FAKETIME_DONT_FAKE_MONOTONIC=1";
  writeFileSync(
    join(folder, "Dockerfile"),
    `FROM ${from}\nCOPY clock.so /clock.so\nENV ${settings} FAKETIME_CACHE_DURATION=1\n`,
  );
  await project.inside.run("docker", "build", "--tag", image, folder);
  await project.inside.run("kind", "load", "docker-image", image);
}

async function setClock(pod: string, offset: string): Promise<void> {
  await project.kubectl(`exec --namespace ${system} ${pod} -- sh -c`, `echo ${offset} > /clock/offset`);
}

async function readLease() {
  const [lease] = JSON.parse(await project.kubectl(`get leases --namespace ${system} --output=json`)).items;
  const { holderIdentity, leaseTransitions, renewTime } = lease.spec;
  return {
    holder: holderIdentity.split("_")[0] as string,
    transitions: leaseTransitions as number,
    renewed: Date.parse(renewTime),
    version: lease.metadata.resourceVersion as string,
  };
}

async function hoursAhead(): Promise<number> {
  return Math.round(((await readLease()).renewed - Date.now()) / 3_600_000);
}

/** Waits until the Lease was written so many times, which takes longer than a lease lasts. */
async function renewals(count: number): Promise<void> {
  const versions = new Set<string>();
  await eventually(async () => {
    versions.add((await readLease()).version);
    expect(versions.size).toBeGreaterThan(count);
  });
}

async function podNames(): Promise<string[]> {
  const names = `get pods --namespace ${system} --output=jsonpath={.items[*].metadata.name}`;
  return (await project.kubectl(names)).split(" ");
}

async function reconciles(): Promise<void> {
  await project.kubectl("apply --kustomize config/samples");
  await project.kubectl(`wait shop/shop-sample --for=condition=Ready --timeout=${timeoutIn.journey}`);
  await project.kubectl("delete --kustomize config/samples");
}
