import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";

/** The other end of a connection to a server: the operator, users, or another server. */
export type Peer = "operator" | "users" | number;

/** The fate of packets: nothing comes through, a server's answers don't, or connections are refused at once. */
export type Cut = "both" | "answers" | "refused";

/** The address from which users connect. */
export const usersAddress = "10.0.0.2";

/**
 * A bridge, and a network namespace for each server. The process that makes it runs in a network namespace of its own, with which all
 * goes away.
 */
export class Network {
  readonly #holders: ChildProcess[] = [];
  #serial = 0;

  static async create(size: number): Promise<Network> {
    const network = new Network();
    run("ip link set lo up");
    run("ip link add bridge type bridge");
    run("ip address add 10.0.0.1/16 dev bridge");
    run(`ip address add ${usersAddress}/16 dev bridge`);
    run("ip link set bridge up");
    // kube-apiserver takes its address from there.
    run("ip route add default dev bridge");
    for (let ordinal = 0; ordinal < size; ordinal += 1) {
      const holder = spawn("unshare", ["--net", "sh", "-c", "echo; exec sleep infinity"]);
      await once(holder.stdout, "data");
      network.#holders.push(holder);
      run(`ip link add server${ordinal} type veth peer name eth0 netns ${holder.pid}`);
      run(`ip link set server${ordinal} master bridge up`);
      network.#runAt(ordinal, "ip link set lo up");
      network.#runAt(ordinal, "ip link set eth0 up");
    }
    return network;
  }

  /** The words that run a program where a server is. */
  enter(ordinal: number): string[] {
    return ["nsenter", `--target=${this.#holders[ordinal]!.pid}`, "--net", "--"];
  }

  /** Gives a server a new address, as each new pod has one. */
  assign(ordinal: number): string {
    this.#serial = (this.#serial + 1) % 250;
    const address = `10.0.${10 + ordinal}.${this.#serial + 1}`;
    this.#runAt(ordinal, "ip address flush dev eth0");
    this.#runAt(ordinal, `ip address add ${address}/16 dev eth0`);
    return address;
  }

  /** Cuts a server off, whatever address it has later; returns what heals it. */
  cut(ordinal: number, peer: Peer, how: Cut): () => void {
    const from = typeof peer === "number" ? `10.0.${10 + peer}.0/24` : addresses[peer];
    const rules = {
      both: [`INPUT -s ${from} -j DROP`, `OUTPUT -d ${from} -j DROP`],
      answers: [`OUTPUT -d ${from} -j DROP`],
      refused: [`INPUT -s ${from} -p tcp -j REJECT --reject-with tcp-reset`],
    }[how];
    for (const rule of rules) this.#runAt(ordinal, `iptables --wait -A ${rule}`);
    return () => rules.forEach((rule) => this.#runAt(ordinal, `iptables --wait -D ${rule}`));
  }

  #runAt(ordinal: number, command: string): void {
    run(`${this.enter(ordinal).join(" ")} ${command}`);
  }
}

const addresses = { operator: "10.0.0.1", users: usersAddress };

function run(command: string): void {
  const [program = "", ...words] = command.split(" ");
  execFileSync(program, words, { stdio: "pipe" });
}
