-- Jobs: who may take one, and whose write counts. Every row in the columns of the statement `of`.

-- name: clock
-- The server's clock, the same for all workers whatever theirs say.
SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

-- name: of
-- The job of a kind and key, held until the end of the transaction.
SELECT id, kind, job_key, scope_key, payload, status, attempts, max_attempts, due_at, ownership_token, fence,
       lease_until, input_watermark, last_success_watermark, takeovers, last_error, created_at, updated_at
FROM jobs WHERE tenant = learnt_tenant() AND kind = %(kind)s AND job_key = %(key)s
FOR UPDATE;

-- name: named
-- The same, only to look at.
SELECT id, kind, job_key, scope_key, payload, status, attempts, max_attempts, due_at, ownership_token, fence,
       lease_until, input_watermark, last_success_watermark, takeovers, last_error, created_at, updated_at
FROM jobs WHERE tenant = learnt_tenant() AND kind = %(kind)s AND job_key = %(key)s;

-- name: get
-- A job of these scopes or of the whole store, held until the end of the transaction.
SELECT id, kind, job_key, scope_key, payload, status, attempts, max_attempts, due_at, ownership_token, fence,
       lease_until, input_watermark, last_success_watermark, takeovers, last_error, created_at, updated_at
FROM jobs WHERE tenant = learnt_tenant() AND id = %(id)s AND (scope_key = '' OR scope_key = ANY(%(keys)s::text[]))
FOR UPDATE;

-- name: held
-- The job of a lease that still counts; nobody takes it over before the end of the transaction.
SELECT id, kind, job_key, scope_key, payload, status, attempts, max_attempts, due_at, ownership_token, fence,
       lease_until, input_watermark, last_success_watermark, takeovers, last_error, created_at, updated_at
FROM jobs
WHERE tenant = learnt_tenant() AND id = %(id)s AND status = 'running' AND ownership_token = %(owner)s AND fence = %(fence)s
FOR UPDATE;

-- name: due
-- The job that is due longest, of those nobody else is just choosing.
SELECT id, kind, job_key, scope_key, payload, status, attempts, max_attempts, due_at, ownership_token, fence,
       lease_until, input_watermark, last_success_watermark, takeovers, last_error, created_at, updated_at
FROM jobs
WHERE tenant = learnt_tenant() AND status = 'pending' AND due_at <= %(now)s
  AND kind = ANY(%(kinds)s::text[]) AND %(id)s IN ('', id)
ORDER BY due_at, id LIMIT 1
FOR UPDATE SKIP LOCKED;

-- name: lapsed
-- The job whose lease ran out longest ago; one whose worker is just writing is passed over.
SELECT id, kind, job_key, scope_key, payload, status, attempts, max_attempts, due_at, ownership_token, fence,
       lease_until, input_watermark, last_success_watermark, takeovers, last_error, created_at, updated_at
FROM jobs
WHERE tenant = learnt_tenant() AND status = 'running' AND lease_until <= %(now)s
  AND kind = ANY(%(kinds)s::text[]) AND %(id)s IN ('', id)
ORDER BY lease_until, id LIMIT 1
FOR UPDATE SKIP LOCKED;

-- name: ahead
-- Jobs that wait and were written later than it is now: the clock was set back.
SELECT id, kind, job_key, scope_key, payload, status, attempts, max_attempts, due_at, ownership_token, fence,
       lease_until, input_watermark, last_success_watermark, takeovers, last_error, created_at, updated_at
FROM jobs
WHERE tenant = learnt_tenant() AND updated_at > %(limit)s AND status IN ('pending', 'running')
  AND kind = ANY(%(kinds)s::text[]) AND %(id)s IN ('', id)
FOR UPDATE SKIP LOCKED;

-- name: spent
-- Jobs whose last attempt ran out.
SELECT id, kind, job_key, scope_key, payload, status, attempts, max_attempts, due_at, ownership_token, fence,
       lease_until, input_watermark, last_success_watermark, takeovers, last_error, created_at, updated_at
FROM jobs
WHERE tenant = learnt_tenant() AND status = 'running' AND lease_until <= %(now)s AND attempts >= max_attempts
  AND kind = ANY(%(kinds)s::text[]) AND %(id)s IN ('', id)
FOR UPDATE SKIP LOCKED;

-- name: create
-- A new job, unless somebody made it meanwhile.
INSERT INTO jobs (id, kind, job_key, scope_key, payload, status, attempts, max_attempts, due_at, ownership_token,
                  fence, lease_until, input_watermark, last_success_watermark, takeovers, last_error, created_at,
                  updated_at)
VALUES (%(id)s, %(kind)s, %(key)s, %(scope_key)s, %(payload)s, %(status)s, %(attempts)s, %(max_attempts)s, %(due_at)s,
        %(owner)s, %(fence)s, %(lease_until)s, %(watermark)s, %(done_watermark)s, %(takeovers)s, %(error)s,
        %(created_at)s, %(updated_at)s)
ON CONFLICT (tenant, kind, job_key) DO NOTHING
RETURNING id;

-- name: change
-- The job as it is now, if nobody leased it or ended its lease since it was read.
UPDATE jobs
SET payload = %(payload)s, status = %(status)s, attempts = %(attempts)s, max_attempts = %(max_attempts)s,
    due_at = %(due_at)s, ownership_token = %(owner)s, fence = %(fence)s, lease_until = %(lease_until)s,
    input_watermark = %(watermark)s, last_success_watermark = %(done_watermark)s, takeovers = %(takeovers)s,
    last_error = %(error)s, updated_at = %(updated_at)s
WHERE tenant = learnt_tenant() AND id = %(id)s AND fence = %(held_fence)s AND ownership_token = %(held_owner)s
  AND status = %(held_status)s
RETURNING id;

-- name: notify
-- Wakes the workers that wait, when the transaction is committed.
SELECT pg_notify('learnt_jobs', %(tenant)s);

-- name: listen
-- From now on this connection is woken.
LISTEN learnt_jobs;

-- name: page
-- A listing of these scopes and of the whole store.
SELECT id, kind, job_key, scope_key, payload, status, attempts, max_attempts, due_at, ownership_token, fence,
       lease_until, input_watermark, last_success_watermark, takeovers, last_error, created_at, updated_at
FROM jobs
WHERE tenant = learnt_tenant() AND (scope_key = '' OR scope_key = ANY(%(keys)s::text[]))
  AND (%(statuses)s::text[] = '{}' OR status = ANY(%(statuses)s::text[]))
  AND (%(kinds)s::text[] = '{}' OR kind = ANY(%(kinds)s::text[]))
  AND %(key)s IN ('', job_key)
ORDER BY updated_at DESC, id LIMIT %(limit)s;

-- name: total
-- How many the listing has.
SELECT count(*)
FROM jobs
WHERE tenant = learnt_tenant() AND (scope_key = '' OR scope_key = ANY(%(keys)s::text[]))
  AND (%(statuses)s::text[] = '{}' OR status = ANY(%(statuses)s::text[]))
  AND (%(kinds)s::text[] = '{}' OR kind = ANY(%(kinds)s::text[]))
  AND %(key)s IN ('', job_key);

-- name: counts
-- How many of each kind and status.
SELECT kind, status, count(*) FROM jobs WHERE tenant = learnt_tenant() GROUP BY kind, status ORDER BY kind, status;

-- name: waiting
-- How many are held under a lease that ran out, and when the one that waits longest became due.
SELECT (SELECT count(*) FROM jobs WHERE tenant = learnt_tenant() AND status = 'running' AND lease_until <= %(now)s),
       (SELECT min(due_at) FROM jobs WHERE tenant = learnt_tenant() AND status = 'pending' AND due_at <= %(now)s);
