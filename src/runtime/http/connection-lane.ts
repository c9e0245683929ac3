import type { Clock } from "@tsbuilder/apimachinery/time";
import { ConnectTimeoutError } from "./connection-errors.ts";
import { type ConnectionOwner, HttpConnection } from "./http-connection.ts";
import { onAbort } from "../clock/on-abort.ts";
import { openSocket, type SocketTarget } from "./open-socket.ts";

/** Limits of a lane, and how it opens connections. */
export interface LaneLimits {
  readonly most: number;
  readonly mostFree: number;
  /** Time limit for opening a connection, in milliseconds. */
  readonly connectTimeout: number;
  readonly clock: Clock;
}

/** After this many milliseconds, a slow attempt gets another one beside it; the first connection that opens is used. */
const slowAfter = 1000;

/** While some attempts are slow, only this many others are made at a time, so that a slow server isn't flooded. */
const mostBeside = 4;

interface Waiting {
  /** Its position, counted together with the attempts. */
  readonly number: number;
  readonly resolve: (connection: HttpConnection) => void;
  readonly reject: (error: unknown) => void;
}

interface Attempt {
  readonly number: number;
  readonly abort: AbortController;
  isSlow: boolean;
}

/** The connections for one purpose. A request that finds none free waits in line for the first one, new or old. */
export class ConnectionLane implements ConnectionOwner {
  readonly #target: SocketTarget;
  readonly #limits: LaneLimits;
  readonly #all = new Set<HttpConnection>();
  readonly #free: HttpConnection[] = [];
  readonly #waiting = new Set<Waiting>();
  /** The oldest first. */
  readonly #attempts = new Set<Attempt>();
  #lastNumber = 0;
  #isClosed = false;

  constructor(target: SocketTarget, limits: LaneLimits) {
    this.#target = target;
    this.#limits = limits;
  }

  /** The most recently used connection is taken first, so that unnecessary ones become idle. */
  acquire(signal: AbortSignal | undefined): HttpConnection | Promise<HttpConnection> {
    signal?.throwIfAborted();
    const free = this.#free.pop();
    if (free) return free;
    return new Promise((resolve, reject) => {
      const settle = (finish: () => void): void => {
        forget();
        this.#waiting.delete(waiting);
        finish();
      };
      const waiting: Waiting = {
        number: ++this.#lastNumber,
        resolve: (connection) => settle(() => resolve(connection)),
        reject: (error) => settle(() => reject(error)),
      };
      const forget = onAbort(signal, () => {
        waiting.reject(signal?.reason);
        this.#endSurplus([...this.#attempts]);
      });
      this.#waiting.add(waiting);
      this.#openMore();
    });
  }

  /**
   * Closes all connections and rejects waiting requests; or closes only idle connections and serves waiting requests.
   */
  close({ onlyIdle }: { readonly onlyIdle: boolean }): void {
    this.#isClosed = true;
    for (const connection of onlyIdle ? this.#free.splice(0) : [...this.#all]) connection.destroy();
    if (onlyIdle) return;
    for (const waiting of this.#waiting) waiting.reject(new Error("the client was closed"));
    this.#endSurplus([...this.#attempts]);
  }

  onFree(connection: HttpConnection): void {
    const [next] = this.#waiting;
    if (next) next.resolve(connection);
    else if (this.#isClosed || this.#free.length >= this.#limits.mostFree) connection.destroy();
    else this.#free.push(connection);
    this.#endSurplus([...this.#attempts].filter(({ isSlow }) => isSlow));
  }

  onGone(connection: HttpConnection, isSuspect: boolean): void {
    this.#all.delete(connection);
    const at = this.#free.indexOf(connection);
    if (at >= 0) this.#free.splice(at, 1);
    if (isSuspect) for (const other of this.#free.splice(0)) other.destroy();
    this.#openMore();
  }

  /** One attempt per waiting request. Slow attempts don't count, so that a path that hangs blocks nobody. */
  #openMore(): void {
    const { most } = this.#limits;
    for (;;) {
      const slow = [...this.#attempts].filter(({ isSlow }) => isSlow).length;
      const prompt = this.#attempts.size - slow;
      const wanted = slow === 0 ? this.#waiting.size : Math.min(this.#waiting.size, mostBeside);
      if (prompt >= wanted || this.#all.size + prompt >= most) return;
      void this.#open();
    }
  }

  async #open(): Promise<void> {
    const attempt = { number: ++this.#lastNumber, abort: new AbortController(), isSlow: false };
    this.#attempts.add(attempt);
    const stopTimers = this.#watchTheTime(attempt);
    try {
      const socket = await openSocket(this.#target, attempt.abort.signal);
      this.#attempts.delete(attempt);
      // A slow attempt may succeed when others have used up the limit.
      if (this.#all.size >= this.#limits.most) return void socket.destroy();
      const connection = new HttpConnection(socket, this, this.#limits.clock);
      this.#all.add(connection);
      connection.rest();
    } catch (error) {
      if (!this.#attempts.delete(attempt)) return;
      // Requests that came after this attempt started get an attempt of their own.
      const [next] = this.#waiting;
      if (next && next.number < attempt.number) next.reject(error);
      this.#endSurplus([...this.#attempts].filter(({ isSlow }) => isSlow));
    } finally {
      stopTimers();
      this.#openMore();
    }
  }

  #watchTheTime(attempt: Attempt): () => void {
    const { clock, connectTimeout } = this.#limits;
    const timers = [
      clock.setTimer(() => {
        attempt.isSlow = true;
        this.#openMore();
      }, slowAfter),
      clock.setTimer(() => attempt.abort.abort(new ConnectTimeoutError(connectTimeout)), connectTimeout),
    ];
    return () => {
      for (const cancel of timers) cancel();
    };
  }

  /** Ends the oldest of these attempts, while there are more attempts than waiting requests. */
  #endSurplus(attempts: readonly Attempt[]): void {
    let surplus = this.#attempts.size - this.#waiting.size;
    for (const attempt of attempts) {
      if (surplus-- <= 0) return;
      this.#attempts.delete(attempt);
      attempt.abort.abort(new Error("no request waits for this connection any more"));
    }
  }
}
