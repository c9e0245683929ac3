import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "@tsbuilder/runtime";
import { Pod, Secret } from "@tsbuilder/runtime/k8s/core/v1";
import type { Connection, ResultSetHeader } from "mysql2/promise";
import type { Random } from "@tsbuilder/apimachinery/sample";
import {
  count,
  type Gtids,
  includes,
  noGtids,
  parseGtids,
  subtract,
  union,
} from "../../golden/maria-operator/src/controller/maria_gtids.ts";
import { connectAs } from "./onlooker.ts";

/** The answer of MySQL to a transaction that it acknowledges, with `session_track_gtids`. */
type Acknowledged = ResultSetHeader & { readonly stateChanges?: { readonly gtids: readonly string[] } };

/** A row that was acknowledged, and the transaction that it was in. */
interface Row {
  readonly id: number;
  readonly gtids: Gtids;
}

/** Writers, which remember what was acknowledged. */
export class Users {
  acknowledged = 0;
  agreedLosses = 0;
  /** The longest time without an acknowledged row, in milliseconds. */
  longestGap = 0;
  /** The transactions of the objects that were made before all disturbances. */
  made: Gtids = noGtids;
  readonly #client: Client;
  readonly #random: Random;
  #isPaused = false;
  #writing = 0;
  #rows: Row[] = [];
  #agreed: Gtids = noGtids;
  #lastId = 0;
  #lastTime = Date.now();

  constructor(client: Client, random: Random) {
    this.#client = client;
    this.#random = random;
  }

  /** Starts a writer, whose Secret is mounted, and told some seconds late. */
  async write(late: number): Promise<void> {
    let password = "";
    let readAt = 0;
    for (;;) {
      await sleep(200);
      if (Date.now() - readAt > late * 1000) {
        password = (await this.#password()) ?? password;
        readAt = Date.now();
      }
      const pods = await this.#client.list(Pod, { namespace: "default", live: true }).catch(() => []);
      const pod = pods.find(({ metadata }) => metadata.labels?.["data.example.com/writes"] === "true");
      if (pod?.status?.podIP === undefined) continue;
      const connection = await connectAs("app", password, pod.status.podIP).catch(() => undefined);
      if (connection) await this.#writeWith(connection).catch(() => connection.destroy());
    }
  }

  /** Resolves when nobody writes any more. */
  async pause(): Promise<void> {
    this.#isPaused = true;
    while (this.#writing > 0) await sleep(50);
  }

  goOn(): void {
    this.#isPaused = false;
  }

  /** The user agrees to lose transactions: from now on they may be missing. */
  agree(gtids: Gtids): void {
    this.#agreed = union(this.#agreed, gtids);
  }

  /** True if the user has agreed to lose even the first transactions. */
  get agreedToAll(): boolean {
    return count(subtract(this.made, this.#agreed)) < count(this.made);
  }

  /** Acknowledged transactions of some origins. */
  transactionsOf(isMeant: (origin: string) => boolean): Gtids {
    const all = this.#rows.reduce((sum, { gtids }) => union(sum, gtids), this.made);
    return new Map([...all].filter(([origin]) => isMeant(origin)));
  }

  /** The rows that are lost, though nobody agreed to that, as the primary has others. Known losses are told once. */
  settle(found: ReadonlySet<number>): Row[] {
    const missing = this.#rows.filter(({ id }) => !found.has(id));
    const lost = missing.filter(({ gtids }) => !includes(this.#agreed, gtids));
    this.agreedLosses += missing.length - lost.length;
    this.#rows = this.#rows.filter(({ id }) => found.has(id));
    return lost;
  }

  async #password(): Promise<string | undefined> {
    const key = { namespace: "default", name: "db-credentials" };
    const secret = await this.#client.find(Secret, key, { live: true }).catch(() => undefined);
    return secret && Buffer.from(secret.data?.["password"] ?? "", "base64").toString();
  }

  async #writeWith(connection: Connection): Promise<void> {
    const query = async (sql: string) =>
      (await connection.query<Acknowledged>({ sql, timeout: 8000 }))[0].stateChanges?.gtids.join() ?? "";
    await query("SET SESSION session_track_gtids = OWN_GTID");
    for (;;) {
      await sleep(20);
      if (this.#isPaused) continue;
      this.#writing += 1;
      await this.#insert(query).finally(() => (this.#writing -= 1));
    }
  }

  async #insert(query: (sql: string) => Promise<string>): Promise<void> {
    const size = this.#random.chance(0.03) ? this.#random.integer(2, 200) : 1;
    const ids = Array.from({ length: size }, () => (this.#lastId += 1));
    const rows = ids.map((id) => `(${id}, REPEAT('x', 100))`).join();
    await query("START TRANSACTION");
    await query(`INSERT INTO app.t VALUES ${rows}`);
    if (this.#random.chance(0.005)) await sleep(4000);
    this.#acknowledge(ids, await query("COMMIT"));
  }

  #acknowledge(ids: readonly number[], text: string): void {
    if (text === "") throw new Error("MySQL doesn't say which transaction it acknowledged");
    const gtids = parseGtids(text);
    for (const id of ids) this.#rows.push({ id, gtids });
    this.acknowledged += ids.length;
    this.longestGap = Math.max(this.longestGap, Date.now() - this.#lastTime);
    this.#lastTime = Date.now();
  }
}
