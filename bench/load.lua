-- What wrk sends: one request again and again, with @number@ and @unique@ filled in anew each time.
--
-- Arguments after --: method, path, body, highest number, and a text that no other run has.

local method, path, body, highest, run, first
local sent, same = 0, nil

-- A prime: numbers are far apart, and those under way at once never the same.
local STRIDE = 7919

function init(arguments)
  method, path, body, run = arguments[1], arguments[2], arguments[3], arguments[5]
  highest = tonumber(arguments[4])
  math.randomseed(os.time())
  first = math.random(highest)
  if not (path .. body):find("@", 1, true) then
    same = wrk.format(method, path, nil, body)
  end
end

local function filled(text)
  return (text:gsub("@number@", tostring((first + sent * STRIDE) % highest + 1)):gsub("@unique@", run .. sent))
end

function request()
  if same then
    return same
  end
  sent = sent + 1
  return wrk.format(method, filled(path), nil, filled(body))
end

function done(summary, latency, _)
  local errors = summary.errors
  io.write(string.format(
    '{"requests": %d, "microseconds": %d, "bytes": %d, "refused": %d, "broken": %d, "p50": %.1f, "p99": %.1f}\n',
    summary.requests, summary.duration, summary.bytes, errors.status,
    errors.connect + errors.read + errors.write + errors.timeout,
    latency:percentile(50), latency:percentile(99)
  ))
end
