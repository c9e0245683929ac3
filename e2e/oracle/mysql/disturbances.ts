import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type CertificateWithKey, createCA, issueCertificate } from "@tsbuilder/apimachinery/certs";
import type { Client } from "@tsbuilder/runtime";
import { Secret } from "@tsbuilder/runtime/k8s/core/v1";
import type { Random } from "@tsbuilder/apimachinery/sample";
import type { Cut, Network, Peer } from "./network.ts";
import type { Onlooker } from "./onlooker.ts";
import type { Operators } from "./operators.ts";
import type { Person } from "./person.ts";
import type { ProcessKubelet } from "./process-kubelet.ts";

/** Everything that can be disturbed. */
export interface Scene {
  readonly client: Client;
  readonly kubelet: ProcessKubelet;
  readonly network: Network;
  readonly operators: Operators;
  readonly onlooker: Onlooker;
  readonly person: Person;
  readonly random: Random;
  /** Where volumes are saved. */
  readonly folder: string;
  /** Undoes something after some seconds, or when all is healed. */
  readonly later: (seconds: number, undo: () => void) => void;
}

interface Disturbance {
  /** How often it happens beside the others. */
  readonly weight: number;
  readonly run: (scene: Scene) => Promise<void> | void;
}

export const size = 3;
const all = [0, 1, 2];

/** Everything that is done to servers, operators, volumes, network and clocks. What lasts goes on beside those that follow. */
export const disturbances: Readonly<Record<string, Disturbance>> = {
  "kill a server": {
    weight: 6,
    run: ({ kubelet, random }) => kubelet.signal(any(random), "SIGKILL"),
  },
  "kill all servers": {
    weight: 2,
    run: ({ kubelet }) => all.forEach((ordinal) => kubelet.signal(`db-${ordinal}`, "SIGKILL")),
  },
  "stop a server for a while": {
    weight: 5,
    run: ({ kubelet, random, later }) => {
      const name = any(random);
      kubelet.signal(name, "SIGSTOP");
      later(random.integer(1, 40), () => kubelet.signal(name, "SIGCONT"));
    },
  },
  "delete a pod": { weight: 5, run: ({ kubelet, random }) => kubelet.deletePod(any(random)) },
  "delete all pods": {
    weight: 2,
    run: async ({ kubelet }) => {
      for (const ordinal of all) await kubelet.deletePod(`db-${ordinal}`);
    },
  },
  "let the kubelet hear nothing": {
    weight: 2,
    run: ({ kubelet, random, later }) => {
      const seconds = random.integer(3, 15);
      kubelet.sleep(seconds * 1000);
      later(seconds, () => kubelet.wake());
    },
  },
  "switch over": { weight: 8, run: (scene) => switchTo(scene, scene.random.integer(0, size - 1)) },
  "switch there and back at once": {
    weight: 5,
    run: async (scene) => {
      const primary = await primaryOf(scene);
      await switchTo(scene, (primary + 1) % size);
      await sleep(scene.random.integer(0, 3000));
      await switchTo(scene, primary);
    },
  },
  "interrupt a switchover": {
    weight: 6,
    run: async (scene) => {
      const { kubelet, operators, random, later } = scene;
      const primary = await primaryOf(scene);
      const next = (primary + random.integer(1, 2)) % size;
      await switchTo(scene, next);
      await sleep(random.integer(0, 2000));
      const victim = random.pick([primary, next, "operator"] as const);
      if (typeof victim === "number") kubelet.signal(`db-${victim}`, "SIGKILL");
      else {
        operators.kill();
        later(random.integer(0, 5), () => operators.start());
      }
    },
  },
  "kill the operator": {
    weight: 5,
    run: ({ operators, random, later }) => {
      operators.kill();
      later(random.integer(0, 8), () => operators.start());
    },
  },
  "stop the operator, and start another": {
    weight: 5,
    run: ({ operators, random, later }) => {
      later(random.integer(2, 40), operators.pause());
      operators.start();
    },
  },
  "start another operator": {
    weight: 2,
    run: ({ operators, random, later }) => {
      operators.start();
      later(random.integer(5, 30), () => operators.kill());
    },
  },
  "change the password": { weight: 3, run: rotate },
  "change the password while a server recovers": {
    weight: 4,
    run: async (scene) => {
      const { kubelet, random } = scene;
      kubelet.signal(any(random), "SIGKILL");
      await sleep(random.integer(0, 4000));
      await rotate(scene);
    },
  },
  "change a setting": {
    weight: 2,
    run: ({ person, random }) =>
      person.change((spec) => (spec.settings = { max_connections: String(random.integer(100, 200)) })),
  },
  "leave all as it is for a while": { weight: 2, run: ({ random }) => sleep(random.integer(10, 40) * 1000) },
  "give the servers another certificate": {
    weight: 2,
    run: async (scene) => {
      await giveCertificate(scene, issue(authority));
      await scene.person.change((spec) => (spec.tls = { secretName: "tls" }));
    },
  },
  "give the servers a wrong certificate": {
    weight: 2,
    run: async (scene) => {
      const { random, later } = scene;
      const stranger = createCA({ commonName: "another authority" });
      const [good, other] = [issue(authority), issue(authority)];
      const wrong = [issue(stranger), issue(authority, "another.default.svc"), { ...good, key: other.key }];
      await giveCertificate(scene, random.pick(wrong));
      later(random.integer(5, 60), () => void giveCertificate(scene, good).catch(() => undefined));
    },
  },
  "take the servers' certificate away": {
    weight: 2,
    run: async ({ client, person, random }) => {
      await person.change((spec) => delete spec.tls);
      const secret = { namespace: "default", name: "tls" };
      if (random.chance(0.5)) await client.delete(Secret, secret).catch(() => undefined);
    },
  },
  "remove a server, and add it again": {
    weight: 2,
    run: async ({ person, random, later }) => {
      await person.change((spec) => {
        spec.size = size - 1;
        if (spec.primary === size - 1) spec.primary = 0;
      });
      later(
        random.integer(5, 20),
        () => void person.change((spec) => (spec.size = size)).catch(() => undefined),
      );
    },
  },
  "lose the volume of a replica": {
    weight: 3,
    run: async (scene) => scene.kubelet.replaceVolume(`db-${await replicaOf(scene)}`),
  },
  "lose the volume of the primary": {
    weight: 1,
    run: async (scene) => scene.kubelet.replaceVolume(`db-${await primaryOf(scene)}`),
  },
  "lose all volumes": {
    weight: 1,
    run: async ({ kubelet }) => {
      await Promise.all(all.map((ordinal) => kubelet.replaceVolume(`db-${ordinal}`)));
    },
  },
  "save the volumes": {
    weight: 3,
    run: ({ kubelet, folder }) =>
      all.forEach((ordinal) => kubelet.save(`db-${ordinal}`, saved(folder, ordinal))),
  },
  "put back an older volume of a replica": {
    weight: 3,
    run: async (scene) => putBack(scene, await replicaOf(scene)),
  },
  "put back an older volume of the primary": {
    weight: 1,
    run: async (scene) => putBack(scene, await primaryOf(scene)),
  },
  "fill a disk": {
    weight: 4,
    run: ({ kubelet, random, later }) => {
      const name = any(random);
      kubelet.fill(name);
      later(random.integer(3, 40), () => kubelet.free(name));
    },
  },
  "cut the operator off from a server": {
    weight: 4,
    run: (scene) => cut(scene, ["operator"]),
  },
  "cut servers off from each other": { weight: 3, run: (scene) => cut(scene, all) },
  "cut a server off from all": { weight: 3, run: (scene) => cut(scene, ["operator", "users", ...all]) },
  "set a clock": {
    weight: 4,
    run: ({ kubelet, random }) => {
      const day = 86_400;
      kubelet.setClock(any(random), random.pick([0, 5, -5, 3600, -3600, 5 * day, -5 * day]));
    },
  },
  "purge binary logs": {
    weight: 2,
    run: async (scene) => {
      const name = `db-${await primaryOf(scene)}`;
      await scene.onlooker.query(name, "FLUSH BINARY LOGS");
      await scene.onlooker.query(name, "PURGE BINARY LOGS BEFORE '2100-01-01'");
    },
  },
};

/** Chooses a disturbance by its weight. */
export function chooseDisturbance(random: Random): string {
  const names = Object.entries(disturbances).flatMap(([name, { weight }]) =>
    Array<string>(weight).fill(name),
  );
  return random.pick(names);
}

function any(random: Random): string {
  return `db-${random.integer(0, size - 1)}`;
}

async function primaryOf({ person }: Scene): Promise<number> {
  return (await person.current()).status?.primary ?? 0;
}

async function replicaOf(scene: Scene): Promise<number> {
  return ((await primaryOf(scene)) + scene.random.integer(1, size - 1)) % size;
}

async function switchTo({ person }: Scene, primary: number): Promise<void> {
  await person.change((spec) => (spec.primary = Math.min(primary, (spec.size ?? size) - 1)));
}

async function rotate({ client, person, random }: Scene): Promise<void> {
  const metadata = { namespace: "default", name: "given" };
  await client.apply(Secret, { metadata, stringData: { password: `it's\\${random.integer(1, 1e9)}` } });
  await person.change((spec) => (spec.passwordSecret = { name: "given" }));
}

const authority = createCA({ commonName: "authority" });

function issue(by: CertificateWithKey, name = "db.default.svc"): CertificateWithKey {
  return issueCertificate(by, { commonName: name, dnsNames: [name], usages: ["server"] });
}

async function giveCertificate({ client }: Scene, { cert, key }: CertificateWithKey): Promise<void> {
  const metadata = { namespace: "default", name: "tls" };
  const stringData = { "tls.crt": cert, "tls.key": key, "ca.crt": authority.cert };
  await client.apply(Secret, { metadata, stringData });
}

function saved(folder: string, ordinal: number): string {
  return join(folder, `saved-${ordinal}`);
}

async function putBack({ kubelet, folder }: Scene, ordinal: number): Promise<void> {
  await kubelet.replaceVolume(`db-${ordinal}`, saved(folder, ordinal));
}

function cut({ network, random, later }: Scene, peers: readonly Peer[]): void {
  const ordinal = random.integer(0, size - 1);
  const how = random.pick<Cut>(["both", "answers", "refused"]);
  for (const peer of peers)
    if (peer !== ordinal) later(random.integer(3, 45), network.cut(ordinal, peer, how));
}
