// A webhook receiver with ASP.NET Core: dotnet new web, then this file as Program.cs
using System.Security.Cryptography;
using System.Text;
using System.Text.Json;

// One secret, or two with a comma between them while the secret is being rotated.
var secrets = (Environment.GetEnvironmentVariable("WEBHOOK_SECRETS") ?? "")
    .Split(',', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries);
// Anybody can sign with a secret that is empty.
if (secrets.Length == 0) throw new InvalidOperationException("set WEBHOOK_SECRETS");

// Whether the signature was made over exactly these bytes with one of our secrets.
bool IsGenuine(byte[] rawBody, string signature)
{
    var given = Encoding.UTF8.GetBytes(signature);
    return secrets.Any(secret =>
    {
        var digest = HMACSHA256.HashData(Encoding.UTF8.GetBytes(secret), rawBody);
        return CryptographicOperations.FixedTimeEquals(given, Encoding.UTF8.GetBytes(Convert.ToBase64String(digest)));
    });
}

var app = WebApplication.CreateBuilder(args).Build();

app.MapPost("/webhooks", async (HttpRequest request) =>
{
    // The signature covers the bytes as they were sent: verify before parsing.
    using var buffer = new MemoryStream();
    await request.Body.CopyToAsync(buffer);
    var rawBody = buffer.ToArray();
    if (!IsGenuine(rawBody, request.Headers["x-service-signature"].ToString())) return Results.Unauthorized();
    using var json = JsonDocument.Parse(rawBody);
    var id = request.Headers["webhook-id"].ToString();
    // A test from the dashboard: nothing has happened, and its body is a sample.
    var kind = id.StartsWith("test_", StringComparison.Ordinal) ? "test" : "event";
    // Answer first and work afterwards. A repeat has the same webhook-id: remember the ones you have handled.
    Console.WriteLine($"{kind} {id} {json.RootElement.GetProperty("event")}");
    return Results.Ok();
});

var port = Environment.GetEnvironmentVariable("PORT") ?? "3000";
app.Urls.Add($"http://127.0.0.1:{port}");
await app.StartAsync();
Console.WriteLine($"listening on {new Uri(app.Urls.First()).Port}");
await app.WaitForShutdownAsync();
