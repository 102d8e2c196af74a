# A webhook receiver with WEBrick: gem install webrick
require "base64"
require "json"
require "openssl"
require "webrick"

# One secret, or two with a comma between them while the secret is being rotated.
SECRETS = ENV.fetch("WEBHOOK_SECRETS").scan(/[^\s,]+/)
# Anybody can sign with a secret that is empty.
abort "set WEBHOOK_SECRETS" if SECRETS.empty?

# Whether the signature was made over exactly these bytes with one of our secrets.
def genuine?(raw_body, signature)
  SECRETS.any? do |secret|
    expected = Base64.strict_encode64(OpenSSL::HMAC.digest("SHA256", secret, raw_body))
    OpenSSL.secure_compare(signature, expected)
  end
end

port = Integer(ENV.fetch("PORT", "3000"))
quiet = WEBrick::Log.new(File::NULL)
server = WEBrick::HTTPServer.new(BindAddress: "127.0.0.1", Port: port, Logger: quiet, AccessLog: [])

server.mount_proc "/webhooks" do |request, response|
  # The signature covers the bytes as they were sent: verify before parsing.
  raw_body = request.body.to_s
  next response.status = 401 unless genuine?(raw_body, request["x-service-signature"].to_s)

  event = JSON.parse(raw_body)
  id = request["webhook-id"].to_s
  # A test from the dashboard: nothing has happened, and its body is a sample.
  kind = id.start_with?("test_") ? "test" : "event"
  # Answer first and work afterwards. A repeat has the same webhook-id: remember the ones you have handled.
  puts [kind, id, event["event"], event["id"]].join(" ")
  response.status = 200
end

# Without it what is printed to a pipe waits until there is more.
$stdout.sync = true
puts "listening on #{server.listeners.first.addr[1]}"
server.start
