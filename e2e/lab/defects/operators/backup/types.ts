import {
  type Condition,
  type CustomResource,
  defineKind,
  type int32,
  type int64,
  type Time,
} from "@tsbuilder/runtime";

export interface BackupSpec {
  /**
   * When the database is dumped, in UTC, as in a CronJob. Example: `0 3 * * *`.
   * +kubebuilder:validation:MinLength=1
   */
  schedule: string;
  /**
   * The host of the database.
   * +kubebuilder:validation:Pattern=`^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$`
   * +kubebuilder:validation:MaxLength=100
   */
  database: string;
  /**
   * How many seconds late a run may start. Without it, the last one that was missed starts however late it is.
   * +kubebuilder:validation:Minimum=10
   * +kubebuilder:validation:Maximum=86400
   */
  startingDeadlineSeconds?: int32;
  /**
   * How many finished Jobs are kept, for their logs.
   * +kubebuilder:validation:Minimum=1
   * +kubebuilder:validation:Maximum=20
   * +kubebuilder:default=3
   */
  jobsHistoryLimit?: int32;
  /**
   * How many copies are kept in the store. Older ones are deleted.
   * +kubebuilder:validation:Minimum=1
   * +kubebuilder:validation:Maximum=100
   * +kubebuilder:default=5
   */
  keepCopies?: int32;
  /**
   * No runs start while this is true.
   * +kubebuilder:default=false
   */
  suspend?: boolean;
}

export interface BackupStatus {
  observedGeneration?: int64;
  /** The newest run that has a Job or a copy. */
  lastRun?: Time;
  nextRun?: Time;
  conditions?: Condition[];
}

/**
 * Backup dumps a database on a schedule, and keeps the newest copies in an object store that is reached by HTTP.
 * +kubebuilder:subresource:status
 */
export interface Backup extends CustomResource<BackupSpec, BackupStatus> {}
export const Backup = defineKind<Backup>(
  { group: "backup.example.com", version: "v1" },
  { kind: "Backup", plural: "backups" },
);
