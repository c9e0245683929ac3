import { setTimeout as sleep } from "node:timers/promises";
import { type Client, findCondition, isConditionTrue, type Stored } from "@tsbuilder/runtime";
import type { Random } from "@tsbuilder/apimachinery/sample";
import { Maria, type MariaSpec } from "../../golden/maria-operator/api/v1/maria_types.ts";
import { parseGtids, subtract } from "../../golden/maria-operator/src/controller/maria_gtids.ts";
import type { Onlooker } from "./onlooker.ts";
import type { ProcessKubelet } from "./process-kubelet.ts";
import type { Users } from "./users.ts";

/** The advice of a message of the status, and for how many seconds a person waits before following it. */
interface Advice {
  readonly says: RegExp;
  readonly patience: number;
  readonly follow: (person: Person, match: RegExpExecArray, message: string) => Promise<void> | void;
}

const advices: Readonly<Record<string, Advice>> = {
  "choose the server that has more": {
    says: /let spec\.primary be (\d)/,
    patience: 5,
    follow: (person, [, ordinal]) => person.change((spec) => (spec.primary = Number(ordinal))),
  },
  "choose another server": {
    says: /server (\d) doesn't answer.*let spec\.primary name another server/,
    patience: 20,
    follow: (person, [, silent]) =>
      person.change((spec) => (spec.primary = (Number(silent) + 1 + person.random.integer(0, 1)) % 3)),
  },
  "delete the pod of the former primary": {
    says: /server (\d) doesn't answer: .*Its pod still exists.*Delete the pod/,
    patience: 10,
    follow: (person, [, ordinal]) => person.kubelet.deletePod(`db-${ordinal}`),
  },
  "delete the pod of a server whose certificate is wrong": {
    says: /server (\d)[^;]*: [^;]*delete the pod, which reads it/,
    patience: 15,
    follow: (person, [, ordinal]) => person.kubelet.deletePod(`db-${ordinal}`),
  },
  "delete the claim of a replica": {
    says: /server (\d): [^;]*Deleting its claim and its pod/,
    patience: 20,
    follow: (person, [, ordinal]) => person.kubelet.replaceVolume(`db-${ordinal}`),
  },
  "agree to a loss": {
    says: /set spec\.acceptLoss to (\w+)/,
    patience: 25,
    follow: (person, [, word], message) => person.agree(word!, message),
  },
};

/** Does what the status says when a MySQL isn't ready for long. */
export class Person {
  /** How often which advice was followed. */
  readonly followed = new Map<string, number>();
  readonly client: Client;
  readonly kubelet: ProcessKubelet;
  readonly random: Random;
  readonly #users: Users;
  readonly #onlooker: Onlooker;

  constructor(client: Client, kubelet: ProcessKubelet, users: Users, onlooker: Onlooker, random: Random) {
    this.client = client;
    this.kubelet = kubelet;
    this.random = random;
    this.#users = users;
    this.#onlooker = onlooker;
  }

  async watch(): Promise<void> {
    const since = new Map<string, number>();
    for (;;) {
      await sleep(1000);
      const { status } = await this.current();
      const ready = findCondition(status?.conditions, "Ready");
      const message = ready?.status === "True" ? "" : (ready?.message ?? "");
      for (const [name, { says, patience, follow }] of Object.entries(advices)) {
        const match = says.exec(message);
        if (!match) since.delete(name);
        else if (!since.has(name)) since.set(name, Date.now());
        if (!match || Date.now() - since.get(name)! < patience * 1000) continue;
        since.delete(name);
        console.log(`  the status says: ${message}`);
        console.log(`  the person decides to ${name}`);
        this.followed.set(name, (this.followed.get(name) ?? 0) + 1);
        await follow(this, match, message);
      }
    }
  }

  current(): Promise<Stored<Maria>> {
    return this.client.get(Maria, { namespace: "default", name: "db" }, { live: true });
  }

  async change(edit: (spec: MariaSpec) => void): Promise<void> {
    await this.client.patch(Maria, await this.current(), ({ spec }) => edit(spec), { optimisticLock: false });
  }

  /** Waits until all is as it should be, for the user's last wish, and the primary takes writes; throws after five minutes. */
  async untilReady(): Promise<void> {
    for (let attempt = 0; attempt < 600; attempt += 1) {
      const { metadata, spec, status } = await this.current();
      const isSeen = status?.observedGeneration === metadata.generation;
      const isWished = spec.primary === undefined || spec.primary === status?.primary;
      if (isSeen && isWished && isConditionTrue(status?.conditions, "Ready")) {
        const [row] =
          (await this.#onlooker.query(`db-${status?.primary}`, "SELECT @@read_only AS locked")) ?? [];
        if (row?.["locked"] === 0) return;
      }
      await sleep(500);
    }
    const { spec, status } = await this.current();
    throw new Error(`no way out within five minutes: ${JSON.stringify({ spec, status }, null, 1)}`);
  }

  /** Agrees to exactly what the message names. */
  async agree(word: string, message: string): Promise<void> {
    const [, ahead] = /has (\S+), which the primary lacks: save/.exec(message) ?? [];
    const [, has = "", lacks = "", rest] =
      /has (\S+|no data)\. If it becomes the primary, (.*?) is lost(?:, and whatever else server (\d) acknowledged)?/.exec(
        message,
      ) ?? [];
    if (ahead !== undefined) this.#users.agree(parseGtids(ahead));
    this.#users.agree(parseGtids(lacks));
    if (rest !== undefined) {
      const all = this.#users.transactionsOf(
        (origin) => this.#onlooker.ordinals.get(origin) === Number(rest),
      );
      this.#users.agree(subtract(all, parseGtids(has)));
    }
    await this.change((spec) => (spec.acceptLoss = word));
  }
}
