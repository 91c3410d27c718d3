-- Jobs: who may take one, and whose write counts. Every row in the columns of the statement `of`. A plus keeps SQLite
-- from going through all jobs of a kind.

-- name: of
-- The job of a kind and key.
SELECT id, kind, job_key, scope_key, payload, status, attempts, max_attempts, due_at, ownership_token, fence,
       lease_until, input_watermark, last_success_watermark, takeovers, last_error, created_at, updated_at
FROM jobs WHERE kind = :kind AND job_key = :key;

-- name: get
-- A job of these scopes or of the whole store.
SELECT id, kind, job_key, scope_key, payload, status, attempts, max_attempts, due_at, ownership_token, fence,
       lease_until, input_watermark, last_success_watermark, takeovers, last_error, created_at, updated_at
FROM jobs WHERE id = :id AND (scope_key = '' OR scope_key IN (SELECT value FROM json_each(:keys)));

-- name: held
-- The job of a lease that still counts.
SELECT id, kind, job_key, scope_key, payload, status, attempts, max_attempts, due_at, ownership_token, fence,
       lease_until, input_watermark, last_success_watermark, takeovers, last_error, created_at, updated_at
FROM jobs WHERE id = :id AND status = 'running' AND ownership_token = :owner AND fence = :fence;

-- name: due
-- The job that is due longest.
SELECT id, kind, job_key, scope_key, payload, status, attempts, max_attempts, due_at, ownership_token, fence,
       lease_until, input_watermark, last_success_watermark, takeovers, last_error, created_at, updated_at
FROM jobs
WHERE status = 'pending' AND due_at <= :now AND +kind IN (SELECT value FROM json_each(:kinds)) AND :id IN ('', id)
ORDER BY due_at, id LIMIT 1;

-- name: lapsed
-- The job whose lease ran out longest ago.
SELECT id, kind, job_key, scope_key, payload, status, attempts, max_attempts, due_at, ownership_token, fence,
       lease_until, input_watermark, last_success_watermark, takeovers, last_error, created_at, updated_at
FROM jobs
WHERE status = 'running' AND lease_until <= :now AND +kind IN (SELECT value FROM json_each(:kinds)) AND :id IN ('', id)
ORDER BY lease_until, id LIMIT 1;

-- name: ahead
-- Jobs that wait and were written later than it is now: the clock was set back.
SELECT id, kind, job_key, scope_key, payload, status, attempts, max_attempts, due_at, ownership_token, fence,
       lease_until, input_watermark, last_success_watermark, takeovers, last_error, created_at, updated_at
FROM jobs
WHERE updated_at > :limit AND status IN ('pending', 'running') AND +kind IN (SELECT value FROM json_each(:kinds))
  AND :id IN ('', id);

-- name: spent
-- Jobs whose last attempt ran out.
SELECT id, kind, job_key, scope_key, payload, status, attempts, max_attempts, due_at, ownership_token, fence,
       lease_until, input_watermark, last_success_watermark, takeovers, last_error, created_at, updated_at
FROM jobs
WHERE status = 'running' AND lease_until <= :now AND attempts >= max_attempts
  AND +kind IN (SELECT value FROM json_each(:kinds)) AND :id IN ('', id);

-- name: create
-- A new job.
INSERT INTO jobs (id, kind, job_key, scope_key, payload, status, attempts, max_attempts, due_at, ownership_token,
                  fence, lease_until, input_watermark, last_success_watermark, takeovers, last_error, created_at,
                  updated_at)
VALUES (:id, :kind, :key, :scope_key, :payload, :status, :attempts, :max_attempts, :due_at, :owner, :fence,
        :lease_until, :watermark, :done_watermark, :takeovers, :error, :created_at, :updated_at);

-- name: change
-- The job as it is now, if nobody leased it or ended its lease since it was read.
UPDATE jobs
SET payload = :payload, status = :status, attempts = :attempts, max_attempts = :max_attempts, due_at = :due_at,
    ownership_token = :owner, fence = :fence, lease_until = :lease_until, input_watermark = :watermark,
    last_success_watermark = :done_watermark, takeovers = :takeovers, last_error = :error, updated_at = :updated_at
WHERE id = :id AND fence = :held_fence AND ownership_token = :held_owner AND status = :held_status;

-- name: page
-- A listing of these scopes and of the whole store.
SELECT id, kind, job_key, scope_key, payload, status, attempts, max_attempts, due_at, ownership_token, fence,
       lease_until, input_watermark, last_success_watermark, takeovers, last_error, created_at, updated_at
FROM jobs
WHERE (scope_key = '' OR scope_key IN (SELECT value FROM json_each(:keys)))
  AND (:statuses = '[]' OR status IN (SELECT value FROM json_each(:statuses)))
  AND (:kinds = '[]' OR kind IN (SELECT value FROM json_each(:kinds)))
  AND :key IN ('', job_key)
ORDER BY updated_at DESC, id LIMIT :limit;

-- name: total
-- How many the listing has.
SELECT count(*)
FROM jobs
WHERE (scope_key = '' OR scope_key IN (SELECT value FROM json_each(:keys)))
  AND (:statuses = '[]' OR status IN (SELECT value FROM json_each(:statuses)))
  AND (:kinds = '[]' OR kind IN (SELECT value FROM json_each(:kinds)))
  AND :key IN ('', job_key);

-- name: counts
-- How many of each kind and status.
SELECT kind, status, count(*) FROM jobs GROUP BY kind, status ORDER BY kind, status;

-- name: lost
-- How many are held under a lease that ran out.
SELECT count(*) FROM jobs WHERE status = 'running' AND lease_until <= :now;

-- name: due_since
-- When the one that waits longest became due.
SELECT min(due_at) FROM jobs WHERE status = 'pending' AND due_at <= :now;

-- name: data_version
-- Changes with every commit of another connection.
PRAGMA data_version;
