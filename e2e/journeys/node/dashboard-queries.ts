/** Queries of dashboards for controller-runtime, such as those of kubebuilder's Grafana plugin. */
export function dashboardQueries(job: string, namespace: string): Readonly<Record<string, string>> {
  const of = `{job="${job}", namespace="${namespace}"}`;
  const rate = (metric: string, by: string): string => `sum(rate(${metric}${of}[1m])) by (${by})`;
  const quantile = (share: number, metric: string, by: string): string =>
    `histogram_quantile(${share}, ${rate(`${metric}_bucket`, `${by}, le`)})`;
  return {
    "reconciles per second": rate("controller_runtime_reconcile_total", "instance, pod"),
    "failed reconciles per second": rate("controller_runtime_reconcile_errors_total", "instance, pod"),
    "share of failed reconciles": `${rate("controller_runtime_reconcile_errors_total", "controller")} / ${rate("controller_runtime_reconcile_total", "controller")}`,
    "duration of reconciles": quantile(0.99, "controller_runtime_reconcile_time_seconds", "controller"),
    "busy workers": `sum(controller_runtime_active_workers${of}) by (controller) / sum(controller_runtime_max_concurrent_reconciles${of}) by (controller)`,
    "wait in the queue": quantile(0.5, "workqueue_queue_duration_seconds", "instance, name"),
    "work on a request": quantile(0.9, "workqueue_work_duration_seconds", "instance, name"),
    "requests added": rate("workqueue_adds_total", "instance, name"),
    "requests tried again": rate("workqueue_retries_total", "instance, name"),
    "depth of the queue": `workqueue_depth${of}`,
    "unfinished work": `rate(workqueue_unfinished_work_seconds${of}[1m])`,
    "requests to the API server": rate("rest_client_requests_total", "code, method"),
    "who leads": `leader_election_master_status${of}`,
    "processor time": `rate(process_cpu_seconds_total${of}[1m]) * 100`,
    memory: `process_resident_memory_bytes${of}`,
  };
}
