import { Gauge, type Registry } from "prom-client";

/** How much memory a process may use, in bytes. */
export interface MemoryLimits {
  /** The limit of the container; undefined without one. */
  readonly container: number | undefined;
  /** How far V8 lets the heap grow before it gives up. */
  readonly heap: number;
}

/** The limits that `process_resident_memory_bytes` and `nodejs_heap_size_used_bytes` are to be compared with. */
export function measureLimits(registry: Registry, { container, heap }: MemoryLimits): void {
  const gauge = (name: string, help: string, value: number) =>
    new Gauge({ name, help, registers: [registry] }).set(value);
  gauge("tsbuilder_heap_limit_bytes", "How far V8 lets the heap grow before it gives up.", heap);
  // A limit of 0 would look like one that is exceeded.
  if (container !== undefined)
    gauge("tsbuilder_container_memory_limit_bytes", "The memory limit of the container.", container);
}
