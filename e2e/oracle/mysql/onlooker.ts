import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type Connection,
  type ConnectionOptions,
  createConnection,
  type RowDataPacket,
} from "mysql2/promise";
import { usersAddress } from "./network.ts";
import type { ProcessKubelet } from "./process-kubelet.ts";

/** Answers of a server that took writes each time it was asked, from when the first came to when the last was asked for. */
interface OpenSpan {
  first: number;
  last: number;
}

/** Asks every server every 50 ms whether it takes writes, as nobody of the operator's. */
export class Onlooker {
  /** Pairs of servers that provably took writes at the same moment. */
  readonly twoPrimaries: string[] = [];
  /** Which server gave transactions their origin. */
  readonly ordinals = new Map<string, number>();
  readonly #kubelet: ProcessKubelet;
  readonly #open = new Map<string, OpenSpan>();
  readonly #connections = new Map<string, Connection | "busy">();

  constructor(kubelet: ProcessKubelet) {
    this.#kubelet = kubelet;
  }

  async watch(): Promise<void> {
    for (;;) {
      for (const [name, address] of this.#kubelet.addresses()) void this.#ask(name, address);
      await sleep(50);
    }
  }

  /** One question to a server; undefined if it doesn't answer. */
  async query<T extends RowDataPacket>(name: string, sql: string): Promise<T[] | undefined> {
    const address = this.#kubelet.addresses().get(name);
    const connection = address && (await connectAs("onlooker", "", address).catch(() => undefined));
    if (!connection) return undefined;
    try {
      const [rows] = await connection.query<T[]>({ sql, timeout: 20_000 });
      return rows;
    } catch {
      return undefined;
    } finally {
      connection.destroy();
    }
  }

  async #ask(name: string, address: string): Promise<void> {
    const known = this.#connections.get(address);
    if (known === "busy") return;
    this.#connections.set(address, "busy");
    let connection = known;
    try {
      connection ??= await connectAs("onlooker", "", address);
      const asked = performance.now();
      const sql = "SELECT @@server_uuid AS uuid, @@read_only AS locked";
      const [[row]] = await connection.query<RowDataPacket[]>({ sql, timeout: 2000 });
      this.ordinals.set(String(row?.["uuid"]), Number(/\d+$/.exec(name)?.[0]));
      if (row?.["locked"] === 0) this.#see(`${name} (${address})`, asked);
      this.#connections.set(address, connection);
    } catch {
      connection?.destroy();
      this.#connections.delete(address);
    }
  }

  #see(server: string, asked: number): void {
    const span = this.#open.get(server);
    if (span && asked - span.last < longestGap) span.last = asked;
    else this.#open.set(server, { first: performance.now(), last: asked });
    const own = this.#open.get(server)!;
    for (const [other, { first, last }] of this.#open) {
      if (other === server || Math.max(first, own.first) > Math.min(last, own.last)) continue;
      this.twoPrimaries.push(`${server} and ${other}`);
    }
  }
}

/** Two answers that are further apart say nothing of what was between. */
const longestGap = 250;

/** Connects over TLS from the users' address. */
export async function connectAs(user: string, password: string, host: string): Promise<Connection> {
  const login: ConnectionOptions = {
    host,
    user,
    password,
    ssl: { rejectUnauthorized: false },
    connectTimeout: 2000,
    stream: () => connect({ host, port: 3306, localAddress: usersAddress }),
  };
  const connection = await createConnection(login);
  connection.on("error", () => undefined);
  return connection;
}
