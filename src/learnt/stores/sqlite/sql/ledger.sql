-- What models were asked to do, and what it cost.

-- name: put
-- A charge, or what became of one.
INSERT INTO model_charges (id, user_id, repository_id, start, purpose, role, provider, model, at, status, input_tokens,
                         output_tokens, cost_nano_usd, settled_at, fault, remaining_percent, resets_at)
VALUES (:id, :user_id, :repository_id, :start, :purpose, :role, :provider, :model, :at, :status, :input_tokens,
        :output_tokens, :cost_nano_usd, :settled_at, :fault, :remaining_percent, :resets_at)
ON CONFLICT (id) DO UPDATE SET
    status = excluded.status, input_tokens = excluded.input_tokens, output_tokens = excluded.output_tokens,
    cost_nano_usd = excluded.cost_nano_usd, settled_at = excluded.settled_at, fault = excluded.fault,
    remaining_percent = excluded.remaining_percent, resets_at = excluded.resets_at;

-- name: spent_since
-- All of a person's charges from a moment on; the index alone answers.
SELECT count(*), coalesce(sum(input_tokens + output_tokens), 0), coalesce(sum(cost_nano_usd), 0)
FROM model_charges
WHERE user_id = :user_id AND at >= :since;

-- name: spent_start
-- All of one start.
SELECT count(*), coalesce(sum(input_tokens + output_tokens), 0), coalesce(sum(cost_nano_usd), 0)
FROM model_charges
WHERE user_id = :user_id AND start = :start;

-- name: last
-- The latest charge whose answer told of a rate limit.
SELECT id, user_id, repository_id, start, purpose, role, provider, model, at, status, input_tokens, output_tokens,
       cost_nano_usd, settled_at, fault, remaining_percent, resets_at
FROM model_charges
WHERE user_id = :user_id AND provider = :provider AND model = :model AND remaining_percent IS NOT NULL
ORDER BY at DESC, id
LIMIT 1;

-- name: page
-- Newest first.
SELECT id, user_id, repository_id, start, purpose, role, provider, model, at, status, input_tokens, output_tokens,
       cost_nano_usd, settled_at, fault, remaining_percent, resets_at
FROM model_charges
WHERE user_id = :user_id
ORDER BY at DESC, id
LIMIT :limit;
